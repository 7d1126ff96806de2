import { fileURLToPath } from 'node:url';

/** Holds `sqlite/` and `postgres/`. */
export const MIGRATIONS: string = fileURLToPath(new URL('../migrations', import.meta.url));
