/** A row of a team in every table, made from the tables' own definitions: a new table takes part without being named here. */
import { randomBytes, randomInt, randomUUID } from "node:crypto";
import type { Knex } from "knex";

/** Tables that hold nothing of a team, or whose rows follow from others. */
const NOT_OF_TEAMS = new Set([
  "svc_migrations",
  "svc_migrations_lock",
  "plans",
  "job_progress",
  "language_model_use",
  "rollup_dirty_buckets",
  "merged_hours",
  "copied_hours",
  "service_outages",
  "unmerged_late_buckets",
  "late_result_buckets",
  "late_hours",
  "check_deletions",
  "team_deletions",
  "team_usage",
  "status_subscription_requests",
]);

interface Column {
  name: string;
  type: string;
  isRequired: boolean;
  /** Column of another table that this one refers to, as `table.column`. */
  parent: string | null;
  /** First of the words that a constraint allows. */
  word: string | null;
}

interface Table {
  name: string;
  columns: Column[];
}

/** Rows of each table, as PostgreSQL writes them. */
export type TableTexts = Record<string, string[]>;

const TABLES = `
  SELECT t.relname AS name, json_agg(json_build_object(
    'name', a.attname, 'type', ty.typname,
    'isRequired', a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AND a.attgenerated = '',
    'parent', (SELECT f.confrelid::regclass::text || '.' || p.attname FROM pg_constraint f
               JOIN pg_attribute p ON p.attrelid = f.confrelid AND p.attnum = f.confkey[1]
               WHERE f.contype = 'f' AND f.conrelid = t.oid AND f.conkey = ARRAY[a.attnum]),
    'word', (SELECT substring(pg_get_constraintdef(c.oid) from a.attname || ' = ANY \\(ARRAY\\[''([^'']+)''')
             FROM pg_constraint c WHERE c.contype = 'c' AND c.conrelid = t.oid AND c.conkey = ARRAY[a.attnum] LIMIT 1)
  ) ORDER BY a.attnum) AS columns
  FROM pg_class t
  JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
  JOIN pg_type ty ON ty.oid = a.atttypid
  WHERE t.relnamespace = 'public'::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
  GROUP BY t.relname ORDER BY t.relname`;

async function readTables(knex: Knex): Promise<Table[]> {
  const { rows } = await knex.raw(TABLES.replaceAll("?", "\\?"));
  return rows.filter(({ name }: Table) => !NOT_OF_TEAMS.has(name));
}

/** Returns the rows of all tables, sorted. */
export async function readEveryTable(knex: Knex): Promise<TableTexts> {
  const texts: TableTexts = {};
  for (const { name } of await readTables(knex)) {
    const { rows } = await knex.raw("SELECT t::text AS row FROM ?? t ORDER BY 1", [name]);
    texts[name] = rows.map(({ row }: { row: string }) => row);
  }
  return texts;
}

/**
 * Adds a row to every table but `teams` and `users`: of the team, its check and all that the check has.
 * @param input.atMs instant of slots and buckets, for which the partitions exist
 */
export async function fillEveryTable(
  knex: Knex,
  { teamId, userId, atMs }: { teamId: string; userId: string; atMs: number },
): Promise<void> {
  const known = new Map<string, unknown>([
    ["teams.id", teamId],
    ["users.id", userId],
    ["plans.name", "self_hosted"],
  ]);
  let waiting = (await readTables(knex)).filter(({ name }) => name !== "teams" && name !== "users");
  while (waiting.length > 0) {
    const ready = waiting.filter(({ columns }) =>
      columns.every(({ parent, name }) => {
        const reference = parent ?? REFERENCES[name];
        return !reference || known.has(reference);
      }),
    );
    if (ready.length === 0) throw new Error(`circle of references: ${waiting.map(({ name }) => name)}`);
    for (const table of ready) {
      const row = rowOf(table, { teamId, atMs, known });
      const names = Object.keys(row);
      const { rows } = await knex.raw(
        `INSERT INTO ?? (${names.map(() => "??").join(", ")}) VALUES (${names.map(() => "?").join(", ")})
         ON CONFLICT DO NOTHING RETURNING *`,
        [table.name, ...names, ...Object.values(row)] as Knex.RawBinding[],
      );
      for (const [name, value] of Object.entries(rows[0] ?? {})) known.set(`${table.name}.${name}`, value);
    }
    waiting = waiting.filter((table) => !ready.includes(table));
  }
}

/** Columns that refer to a record without a constraint. */
const REFERENCES: Record<string, string> = {
  team_id: "teams.id",
  check_key: "checks.key",
  location_key: "locations.key",
  runner_key: "runners.key",
  channel_key: "notification_channels.key",
  blob_key: "artifact_blobs.key",
  pattern_key: "third_party_patterns.key",
};

/** Values that constraints of several columns ask for. */
const FIXED: Record<string, unknown> = {
  "locations.type": "private",
  "api_specs.source_type": "upload",
  "slos.window_days": 7,
  "slos.slo_type": "third_party",
};

interface RowInput {
  teamId: string;
  atMs: number;
  known: ReadonlyMap<string, unknown>;
}

function rowOf(table: Table, input: RowInput): Record<string, unknown> {
  const columns = table.columns.filter(
    ({ name, isRequired, parent }) => isRequired || parent || name in REFERENCES,
  );
  return Object.fromEntries(columns.map((column) => [column.name, columnValue(table.name, column, input)]));
}

function columnValue(
  table: string,
  { name, type, parent, word }: Column,
  { teamId, atMs, known }: RowInput,
): unknown {
  const reference = parent ?? REFERENCES[name];
  if (reference && known.has(reference)) return known.get(reference);
  const fixed = FIXED[`${table}.${name}`];
  if (fixed !== undefined) return fixed;
  if (word) return word;
  if (name === "bucket_seconds") return 3600;
  if (name === "key" && type !== "uuid") return randomInt(1_000, 1_000_000_000);
  if (name.endsWith("_ms") && type === "int8") return atMs - (atMs % 3_600_000);
  switch (type) {
    case "text":
      return `${table}.${name} of ${teamId}`;
    case "bytea":
      return randomBytes(32);
    case "uuid":
      return randomUUID();
    case "jsonb":
      return "{}";
    case "bool":
      return false;
    case "timestamptz":
      return new Date(/end|expire|until/.test(name) ? atMs + 3_600_000 : atMs);
    case "date":
      // Any day, since a day may be all that a row is known by.
      return new Date(randomInt(1, 40_000) * 86_400_000).toISOString().slice(0, 10);
    case "int2":
    case "int4":
    case "int8":
    case "float8":
    case "xid8":
      return 1;
    default:
      if (type.startsWith("_")) return type.startsWith("_int") ? [known.get("locations.key") ?? 1] : [];
      throw new Error(`no value for ${table}.${name} of type ${type}`);
  }
}
