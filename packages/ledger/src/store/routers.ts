/** Which compute router an organization works with. */
import type { Queries } from '@rcpt/service/db/db.ts';

export async function findRouter(db: Queries, organization_id: string): Promise<string | null> {
  const row = await db.get<{ url: string }>('select url from organization_routers where organization_id = $1', [
    organization_id,
  ]);
  return row?.url ?? null;
}

export async function setRouter(tx: Queries, organization_id: string, url: string | null, at: string): Promise<void> {
  if (url === null) await tx.run('delete from organization_routers where organization_id = $1', [organization_id]);
  else
    await tx.run(
      `insert into organization_routers (organization_id, url, changed_at) values ($1, $2, $3)
       on conflict (organization_id) do update set url = excluded.url, changed_at = excluded.changed_at`,
      [organization_id, url, at],
    );
}
