/** Compute nodes. */
import type { Queries } from '@rcpt/service/db/db.ts';
import { refuse } from '../problems.ts';

export interface StoredNode {
  id: string;
  hostname: string;
  gpu_type: string;
  status: string;
  max_concurrent_jobs: number;
  tags: string[];
  created_at: string;
}

/** Throws `id_taken`. */
export async function insertNode(tx: Queries, node: StoredNode): Promise<void> {
  if (!(await addNode(tx, node))) throw refuse('id_taken', `There is a node ${node.id} already.`);
}

/** False when there is a node of that id already. */
export async function addNode(tx: Queries, node: StoredNode): Promise<boolean> {
  const inserted = await tx.run(
    `insert into nodes (id, hostname, gpu_type, status, max_concurrent_jobs, tags, created_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
    [
      node.id,
      node.hostname,
      node.gpu_type,
      node.status,
      node.max_concurrent_jobs,
      JSON.stringify(node.tags),
      node.created_at,
    ],
  );
  return inserted > 0;
}

export async function listNodes(db: Queries): Promise<StoredNode[]> {
  const rows = await db.all<Omit<StoredNode, 'tags'> & { tags: string }>('select * from nodes order by created_at, id');
  return rows.map((row) => ({ ...row, tags: JSON.parse(row.tags) as string[] }));
}
