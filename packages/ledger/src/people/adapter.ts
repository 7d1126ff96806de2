/**
 * Better Auth's storage over our own seam: our tables, both engines, every write in the group commit. A session's token
 * is hashed here, on the way in and in every condition, so that the database never holds one that could be presented.
 */
import type { Db, Queries, Value } from '@rcpt/service/db/db.ts';
import { secretSha256 } from '@rcpt/service/ids.ts';
import { type CleanedWhere, type CustomAdapter, createAdapterFactory } from 'better-auth/adapters';

/** What is kept. Of a person's browser, address and picture nothing is. */
const COLUMNS: Record<string, readonly string[]> = {
  people: ['id', 'email', 'created_at', 'updated_at'],
  sessions: ['id', 'token_sha256', 'person_id', 'expires_at', 'created_at', 'updated_at'],
  sign_in_links: ['id', 'identifier', 'value', 'expires_at', 'created_at', 'updated_at'],
};
const TOKEN = 'token_sha256';

const COMPARISONS: Record<string, string> = { eq: '=', ne: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' };

type Row = Record<string, unknown>;

export function peopleAdapter(db: Db) {
  return createAdapterFactory({
    config: {
      adapterId: 'ledger',
      supportsBooleans: false,
      supportsDates: false,
      supportsJSON: false,
      supportsNumericIds: false,
    },
    adapter: ({ getFieldName }) => storageOf(db, (model, field) => getFieldName({ model, field })),
  });
}

/** @param columnOf the one thing that comes under Better Auth's own name is what to sort by */
function storageOf(db: Db, columnOf: (model: string, field: string) => string): CustomAdapter {
  const storage = {
    /** Answers the token itself, which is needed once more: for the cookie. */
    async create({ model, data }: { model: string; data: Row }) {
      const kept = columnsOf(model).filter((column) => data[column] !== undefined);
      const places = kept.map((_, i) => `$${i + 1}`);
      await db.run(
        `insert into ${model} (${kept.join(', ')}) values (${places.join(', ')})`,
        kept.map((column) => stored(column, data[column])),
      );
      return data;
    },

    async findOne({ model, where }: { model: string; where: CleanedWhere[] }) {
      const [row] = await select(db, model, where, ' limit 1');
      return row === undefined ? null : named(row, where);
    },

    findMany({ model, where = [], limit, offset = 0, sortBy }: Parameters<CustomAdapter['findMany']>[0]) {
      const order = sortBy
        ? ` order by ${known(model, columnOf(model, sortBy.field))} ${sortBy.direction === 'desc' ? 'desc' : 'asc'}`
        : '';
      return select(db, model, where, `${order} limit ${Number(limit)} offset ${Number(offset)}`);
    },

    async update({ model, where, update }: { model: string; where: CleanedWhere[]; update: unknown }) {
      const [row] = await db.transaction(async (tx) => {
        const changed = await change(tx, model, where, update as Row);
        return changed === 0 ? [] : select(tx, model, where, ' limit 1');
      });
      return row === undefined ? null : named(row, where);
    },

    updateMany: ({ model, where, update }: { model: string; where: CleanedWhere[]; update: Row }) =>
      change(db, model, where, update),

    async delete({ model, where }: { model: string; where: CleanedWhere[] }) {
      await remove(db, model, where);
    },

    deleteMany: ({ model, where }: { model: string; where: CleanedWhere[] }) => remove(db, model, where),

    /** Of many who want the same row, the one whose delete counts it has it. */
    consumeOne: ({ model, where }: { model: string; where: CleanedWhere[] }) =>
      db.transaction(async (tx) => {
        const [row] = await select(tx, model, where, ' limit 1');
        if (row === undefined) return null;
        const used = await tx.run(`delete from ${model} where id = $1`, [row.id as string]);
        return used === 1 ? row : null;
      }),

    async count({ model, where = [] }: { model: string; where?: CleanedWhere[] | undefined }) {
      const { text, params } = condition(model, where);
      const row = await db.get<{ rows: number }>(`select count(*) as rows from ${model}${text}`, params);
      return Number(row?.rows ?? 0);
    },
  };
  // Its generic signatures promise the caller's own row type back, which no storage can check.
  return storage as unknown as CustomAdapter;
}

async function select(db: Queries, model: string, where: CleanedWhere[], rest: string): Promise<Row[]> {
  const { text, params } = condition(model, where);
  const rows = await db.all<Row>(`select ${columnsOf(model).join(', ')} from ${model}${text}${rest}`, params);
  // The only way in is a link mailed to the address: whoever has a session has shown the mailbox to be theirs.
  return model === 'people' ? rows.map((row) => ({ ...row, email_verified: 1 })) : rows;
}

function change(db: Queries, model: string, where: CleanedWhere[], update: Row): Promise<number> {
  const kept = columnsOf(model).filter((column) => update[column] !== undefined);
  const { text, params } = condition(model, where, kept.length);
  const sets = kept.map((column, i) => `${column} = $${i + 1}`);
  const values = kept.map((column) => stored(column, update[column]));
  return db.run(`update ${model} set ${sets.join(', ')}${text}`, [...values, ...params]);
}

function remove(db: Queries, model: string, where: CleanedWhere[]): Promise<number> {
  const { text, params } = condition(model, where);
  return db.run(`delete from ${model}${text}`, params);
}

/** @param taken placeholders that stand before it */
function condition(model: string, where: CleanedWhere[], taken = 0): { text: string; params: Value[] } {
  const params: Value[] = [];
  const place = (column: string, value: unknown) => {
    params.push(stored(column, value));
    return `$${taken + params.length}`;
  };
  const terms = where.map(({ field, operator, value, connector, mode }) => {
    const column = known(model, field);
    if (mode === 'insensitive') throw new Error('people are compared as they are stored');
    return { connector, text: term(column, operator, value, (one) => place(column, one)) };
  });
  const ands = terms.filter(({ connector }) => connector !== 'OR').map(({ text }) => text);
  const ors = terms.filter(({ connector }) => connector === 'OR').map(({ text }) => text);
  const all = ors.length === 0 ? ands : [...ands, `(${ors.join(' or ')})`];
  return { text: all.length === 0 ? '' : ` where ${all.join(' and ')}`, params };
}

function term(column: string, operator: string, value: unknown, place: (value: unknown) => string): string {
  if (operator === 'in' || operator === 'not_in') {
    const list = value as unknown[];
    if (list.length === 0) return operator === 'in' ? '1 = 0' : '1 = 1';
    return `${column} ${operator === 'in' ? 'in' : 'not in'} (${list.map(place).join(', ')})`;
  }
  if (value === null) return operator === 'ne' ? `${column} is not null` : `${column} is null`;
  const comparison = COMPARISONS[operator];
  if (comparison === undefined) throw new Error(`nothing here is searched by ${operator}`);
  return `${column} ${comparison} ${place(value)}`;
}

function stored(column: string, value: unknown): Value {
  return column === TOKEN && typeof value === 'string' ? secretSha256(value) : ((value ?? null) as Value);
}

/** Found by its token, a session is named by it again: Better Auth renews and ends it by that. */
function named(row: Row, where: CleanedWhere[]): Row {
  const token = where.find(({ field, operator }) => field === TOKEN && operator === 'eq')?.value;
  return token === undefined ? row : { ...row, [TOKEN]: token };
}

function columnsOf(model: string): readonly string[] {
  const columns = COLUMNS[model];
  if (columns === undefined) throw new Error(`people have no table ${model}`);
  return columns;
}

function known(model: string, column: string): string {
  if (!columnsOf(model).includes(column)) throw new Error(`${model} has no column ${column}`);
  return column;
}
