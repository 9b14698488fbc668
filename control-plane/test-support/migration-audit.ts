/**
 * Finds out what a migration would do to a service that works on the database meanwhile: whether it holds a large table up for longer
 * than a lock takes, and whether it takes away what the release before still uses.
 */
import type { Knex } from "knex";
import { queryRows } from "../src/platform/db/rows.ts";

/** Tables of the service itself, with few rows in an installation of any size. Every other table counts as large. */
const SMALL_TABLES: ReadonlySet<string> = new Set([
  "svc_migrations",
  "svc_migrations_lock",
  "plans",
  "locations",
  "location_scaling",
  "job_progress",
  "merged_hours",
  "copied_hours",
]);

/** A migration as the audit runs it. */
export interface AuditedMigration {
  up(knex: Knex): Promise<void>;
  config?: { transaction: boolean };
}

/** A table or one of its partitions, and what the transaction did to it. */
interface TableState {
  oid: number;
  /** Name of the table, for a partition too. */
  table: string;
  /** Number of the file that holds the rows; another one after the table was rewritten. */
  file: number;
  /** Count of the rows that scans of the whole table read. */
  scanned: number;
  /** Count of the rows that were updated or deleted. */
  changed: number;
  /** Modes of this transaction's locks under which others can't write. */
  locks: string[];
}

/** Reads the tables that are stored. `pg_stat_xact_user_tables` counts at once, for this session alone and not from zero. */
const TABLES = `
  SELECT c.oid::int AS oid, coalesce(pg_partition_root(c.oid)::regclass::text, c.relname) AS table, c.relfilenode::int AS file,
    coalesce(s.seq_tup_read, 0)::int AS scanned, coalesce(s.n_tup_upd + s.n_tup_del, 0)::int AS changed,
    ARRAY(SELECT l.mode FROM pg_locks l WHERE l.pid = pg_backend_pid() AND l.relation = c.oid
          AND l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')) AS locks
  FROM pg_class c LEFT JOIN pg_stat_xact_user_tables s ON s.relid = c.oid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'`;

/** Reads what statements of the release before rely on: columns with their types, and what an insert must give. */
const COLUMNS = `
  SELECT a.attrelid::regclass::text || '.' || a.attname AS name, a.attrelid::regclass::text AS table,
    format_type(a.atttypid, a.atttypmod) AS type,
    a.attnotnull AS "isNotNull", a.atthasdef OR a.attidentity <> '' OR a.attgenerated <> '' AS "hasDefault"
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND a.attnum > 0 AND NOT a.attisdropped`;

interface ColumnState {
  name: string;
  table: string;
  type: string;
  isNotNull: boolean;
  hasDefault: boolean;
}

/** Statements that may run outside of a transaction: they wait for no writer while others wait for them. */
const OUTSIDE_TRANSACTION =
  /^\s*(?:(?:create\s+(?:unique\s+)?|drop\s+|re)index\s+concurrently\s|alter\s+index\s+\S+\s+attach\s+partition\s|create\s+index\s+(?:if\s+not\s+exists\s+)?\S+\s+on\s+only\s)/i;

/**
 * Runs a migration on a database whose tables hold rows, and keeps what it does.
 * @returns a sentence for each thing that it must not do; empty when a service can work meanwhile and afterwards
 */
export async function auditMigration(knex: Knex, migration: AuditedMigration): Promise<string[]> {
  const columnsBefore = await queryRows<ColumnState>(knex, COLUMNS);
  const findings =
    migration.config?.transaction === false
      ? await auditStatements(knex, migration)
      : await auditTransaction(knex, migration);
  const columns = await queryRows<ColumnState>(knex, COLUMNS);
  return [...findings, ...brokenColumns(columnsBefore, columns)];
}

async function auditTransaction(knex: Knex, migration: AuditedMigration): Promise<string[]> {
  return knex.transaction(async (trx) => {
    const before = new Map((await queryRows<TableState>(trx, TABLES)).map((state) => [state.oid, state]));
    await migration.up(trx);
    const after = (await queryRows<TableState>(trx, TABLES)).filter(
      ({ oid, table }) => before.has(oid) && !SMALL_TABLES.has(table),
    );
    const findings = after.flatMap((state) => {
      const { table, file, scanned, changed, locks } = state;
      const former = before.get(state.oid);
      if (former?.file !== file) return [`rewrites ${table}`];
      if (changed > former.changed) return [`changes the rows of ${table}: let a job do it, in batches`];
      if (scanned > former.scanned && locks.length > 0)
        return [`reads all rows of ${table} under ${locks.join(", ")}`];
      return [];
    });
    return [...new Set(findings)].sort();
  });
}

async function auditStatements(knex: Knex, migration: AuditedMigration): Promise<string[]> {
  const statements: string[] = [];
  const keep = ({ sql }: { sql: string }) => statements.push(sql);
  knex.on("query", keep);
  try {
    await migration.up(knex);
  } finally {
    knex.removeListener("query", keep);
  }
  return statements
    .filter((sql) => !OUTSIDE_TRANSACTION.test(sql) && !/^\s*select\s/i.test(sql))
    .map((sql) => `runs outside of a transaction: ${sql.trim()}`);
}

function brokenColumns(before: readonly ColumnState[], after: readonly ColumnState[]): string[] {
  const now = new Map(after.map((column) => [column.name, column]));
  const known = new Map(before.map((column) => [column.name, column]));
  const tables = new Set(before.map(({ table }) => table));
  const gone = before.flatMap(({ name, type }) => {
    const column = now.get(name);
    if (!column) return [`removes ${name}, which the release before uses`];
    return column.type === type
      ? []
      : [`makes ${column.type} of ${name}, which is ${type} to the release before`];
  });
  const required = after
    .filter(({ name, table, isNotNull, hasDefault }) => {
      const former = known.get(name);
      return isNotNull && tables.has(table) && !(former ? former.isNotNull : hasDefault);
    })
    .map(({ name }) => `requires ${name}, which the release before may leave out`);
  return [...gone, ...required].sort();
}
