/** Who may act in an organization, as the tables say now: what its activity chain is held against. */
import type { Queries } from '@rcpt/service/db/db.ts';

export interface Standing {
  name: string;
  four_eyes: boolean;
  /** Live ones, by id. */
  keys: { id: string; role: string; since: string }[];
  members: { id: string; role: string; since: string }[];
}

export async function readStanding(db: Queries, organization_id: string): Promise<Standing> {
  const organization = await db.get<{ name: string; four_eyes: number }>(
    'select name, four_eyes from organizations where organization_id = $1',
    [organization_id],
  );
  return {
    name: String(organization?.name),
    four_eyes: Boolean(organization?.four_eyes),
    keys: await db.all(
      `select id, role, created_at as since from api_keys where organization_id = $1 and revoked_at is null order by id`,
      [organization_id],
    ),
    members: await db.all(
      `select person_id as id, role, invited_at as since from memberships where organization_id = $1 order by person_id`,
      [organization_id],
    ),
  };
}
