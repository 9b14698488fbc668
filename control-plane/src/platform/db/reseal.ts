/** Reads every secret at rest: to seal them anew under the current key, so that the former one can be given up, and to tell whether all open. */
import type { Knex } from "knex";
import { queryRows } from "./rows.ts";
import type { SecretBox } from "./secret-box.ts";

/** Every column that holds sealed bytes. */
const SEALED_COLUMNS = [
  { table: "checks", column: "config_secrets" },
  { table: "notification_channels", column: "config" },
  { table: "telemetry_settings", column: "headers" },
  { table: "telemetry_settings", column: "endpoint_sealed" },
  { table: "api_specs", column: "source_url_sealed" },
  { table: "team_secrets", column: "value" },
  { table: "test_runs", column: "config_secrets" },
  { table: "checks", column: "push_token_sealed" },
  { table: "status_subscribers", column: "endpoint_sealed" },
] as const;
type SealedColumn = (typeof SEALED_COLUMNS)[number];

/** Rows read at once: few, because each is sealed in this process. */
const BATCH_ROWS = 200;

/** Counts of one table's sealed values. */
export interface Resealed {
  table: string;
  resealed: number;
  /** Number of values that were under the current key, and bound to their row, already. */
  current: number;
  /** Ids of rows that no known key opens. */
  unreadable: string[];
}

/**
 * Seals the values of all tables anew, in small batches. Safe beside the running service, and safe to repeat. A value that
 * changes meanwhile is left alone: its writer sealed it under the current key.
 */
export async function resealSecrets(db: Knex, secrets: SecretBox): Promise<Resealed[]> {
  const tables: Resealed[] = [];
  for (const column of SEALED_COLUMNS) tables.push(await resealColumn(db, secrets, column));
  return tables;
}

/** Returns the ids of rows with a sealed value that no known key opens, as `table id`. Reads every value. */
export async function findUnreadableSecrets(db: Knex, secrets: SecretBox): Promise<string[]> {
  const unreadable = new Set<string>();
  for (const at of SEALED_COLUMNS)
    for await (const { id, sealed } of readSealed(db, at))
      if (openOrUndefined(secrets, sealed, id) === undefined) unreadable.add(`${at.table} ${id}`);
  return [...unreadable];
}

async function resealColumn(db: Knex, secrets: SecretBox, at: SealedColumn): Promise<Resealed> {
  const { table, column } = at;
  const outcome: Resealed = { table, resealed: 0, current: 0, unreadable: [] };
  for await (const { id, sealed } of readSealed(db, at)) {
    if (secrets.isCurrent(sealed)) {
      outcome.current++;
      continue;
    }
    const plain = openOrUndefined(secrets, sealed, id);
    if (plain === undefined) {
      outcome.unreadable.push(id);
      continue;
    }
    const bindings = [table, column, secrets.seal(plain, id), id, column, sealed];
    const { rowCount } = await db.raw("UPDATE ?? SET ?? = ? WHERE id = ? AND ?? = ?", bindings);
    outcome.resealed += rowCount;
  }
  return outcome;
}

/** Reads the sealed values of a column in small batches, by id. */
async function* readSealed(
  db: Knex,
  { table, column }: SealedColumn,
): AsyncGenerator<{ id: string; sealed: Buffer }> {
  for (let afterId = ""; ; ) {
    const rows = await queryRows<{ id: string; sealed: Buffer }>(
      db,
      "SELECT id, ?? AS sealed FROM ?? WHERE id > ? AND ?? IS NOT NULL ORDER BY id LIMIT ?",
      [column, table, afterId, column, BATCH_ROWS],
    );
    yield* rows;
    if (rows.length < BATCH_ROWS) return;
    afterId = rows.at(-1)?.id ?? "";
  }
}

function openOrUndefined(secrets: SecretBox, sealed: Buffer, rowId: string): string | undefined {
  try {
    return secrets.open(sealed, rowId);
  } catch {
    return undefined;
  }
}
