/**
 * Seals what rows of checks, API specs and telemetry settings hold of secrets in the open, as versions before wrote them. Nothing else
 * about the rows changes: neither their revision nor the instant of their last change. Both forms are read alike
 * meanwhile.
 */
import { isDeepStrictEqual } from "node:util";
import { type CheckId, type CheckType, checkTypes, maskUrl, type SpecId, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { SecretBox } from "../../platform/db/secret-box.ts";
import type { Services } from "../../platform/services.ts";
import { sourceUrlColumns, sourceUrlFromRow } from "../api-specs/row.ts";
import { configColumns, configFromRow, splitConfig } from "../row.ts";

/** Rows read at once: few, because each is opened and sealed in this process. */
const BATCH_ROWS = 100;

/** Outcome of a pass over all rows. */
export interface SealedRows {
  /** Number of rows whose secrets lay in the open, and are sealed now. */
  sealed: number;
  /** Ids of rows whose sealed part no known key opens. They stay as they are. */
  unreadable: string[];
}

/**
 * Seals the secrets of all checks, API specs and telemetry settings that are not sealed yet, in small batches. Safe beside the running
 * service, and safe to repeat: a row that changes meanwhile is left to its writer.
 */
export async function sealStoredSecrets(
  { knex, secrets }: Pick<Services, "knex" | "secrets">,
  signal: AbortSignal,
): Promise<SealedRows> {
  const outcome: SealedRows = { sealed: 0, unreadable: [] };
  await sealInBatches(signal, (afterId) => sealChecks({ knex, secrets, outcome, afterId }));
  await sealInBatches(signal, (afterId) => sealSpecs({ knex, secrets, outcome, afterId }));
  await sealInBatches(signal, (afterId) => sealEndpoints({ knex, secrets, outcome, afterId }));
  return outcome;
}

/** Number of rows that a batch read, and the last one's id. */
interface Batch {
  rows: number;
  lastId: string;
}

interface BatchInput {
  knex: Knex;
  secrets: SecretBox;
  outcome: SealedRows;
  /** Id of the last row of the batch before; empty: this is the first one. */
  afterId: string;
}

async function sealInBatches(
  signal: AbortSignal,
  sealBatch: (afterId: string) => Promise<Batch>,
): Promise<void> {
  for (let afterId = ""; !signal.aborted; ) {
    const { rows, lastId } = await sealBatch(afterId);
    if (rows < BATCH_ROWS) return;
    afterId = lastId;
  }
}

interface CheckRow {
  id: CheckId;
  type: CheckType;
  config: Record<string, unknown>;
  configSecrets: Buffer | null;
  /** Transaction that wrote this version of the row. */
  xmin: string;
}

/** Fields that are sealed as a whole, and fields with URLs, of whichever type. */
const SEALED_FIELDS = fieldsMarked((mark) => mark !== "url");
const URL_FIELDS = fieldsMarked((mark) => mark === "url");

async function sealChecks({ knex, secrets, outcome, afterId }: BatchInput): Promise<Batch> {
  // The question mark is escaped for knex, which takes a bare one for a binding.
  const mayHoldSecretUrl = URL_FIELDS.map(() => "config ->> ? ~ '[@\\?#]'").join(" OR ");
  const rows = await queryRows<CheckRow>(
    knex,
    `SELECT id, type, config, config_secrets, xmin::text AS xmin FROM checks
     WHERE id > ? AND (jsonb_exists_any(config, ?) OR ${mayHoldSecretUrl})
     ORDER BY id LIMIT ${BATCH_ROWS}`,
    [afterId, SEALED_FIELDS, ...URL_FIELDS],
  );
  for (const row of rows) {
    const config = openOrUndefined(() => configFromRow(secrets, row));
    if (config === undefined) outcome.unreadable.push(row.id);
    else if (!isDeepStrictEqual(splitConfig(row.type, config).shown, row.config)) {
      const columns = configColumns(secrets, { checkId: row.id, type: row.type, config });
      const { rowCount } = await knex.raw(
        "UPDATE checks SET config = ?, config_secrets = ? WHERE id = ? AND xmin::text = ?",
        [JSON.stringify(columns.config), columns.configSecrets as Buffer, row.id, row.xmin],
      );
      outcome.sealed += rowCount;
    }
  }
  return { rows: rows.length, lastId: rows.at(-1)?.id ?? "" };
}

interface SpecUrlRow {
  id: SpecId;
  sourceUrl: string | null;
  sourceUrlSealed: Buffer | null;
  xmin: string;
}

async function sealSpecs({ knex, secrets, outcome, afterId }: BatchInput): Promise<Batch> {
  const rows = await queryRows<SpecUrlRow>(
    knex,
    `SELECT id, source_url, source_url_sealed, xmin::text AS xmin FROM api_specs
     WHERE id > ? AND source_url ~ '[\\?#]' ORDER BY id LIMIT ${BATCH_ROWS}`,
    [afterId],
  );
  for (const row of rows) {
    const url = openOrUndefined(() => sourceUrlFromRow(secrets, row) ?? undefined);
    if (url === undefined) {
      outcome.unreadable.push(row.id);
      continue;
    }
    const columns = sourceUrlColumns(secrets, { specId: row.id, sourceUrl: url });
    if (columns.sourceUrl === row.sourceUrl) continue;
    const { rowCount } = await knex.raw(
      "UPDATE api_specs SET source_url = ?, source_url_sealed = ? WHERE id = ? AND xmin::text = ?",
      [columns.sourceUrl as string, columns.sourceUrlSealed as Buffer, row.id, row.xmin],
    );
    outcome.sealed += rowCount;
  }
  return { rows: rows.length, lastId: rows.at(-1)?.id ?? "" };
}

async function sealEndpoints({ knex, secrets, outcome, afterId }: BatchInput): Promise<Batch> {
  const rows = await queryRows<{ id: TeamId; endpoint: string; xmin: string }>(
    knex,
    `SELECT id, endpoint, xmin::text AS xmin FROM telemetry_settings
     WHERE id > ? AND endpoint_sealed IS NULL AND endpoint ~ '[\\?#]' ORDER BY id LIMIT ${BATCH_ROWS}`,
    [afterId],
  );
  for (const { id, endpoint, xmin } of rows) {
    const shown = maskUrl(endpoint);
    if (shown === endpoint) continue;
    const { rowCount } = await knex.raw(
      "UPDATE telemetry_settings SET endpoint = ?, endpoint_sealed = ? WHERE id = ? AND xmin::text = ?",
      [shown, secrets.seal(endpoint, id), id, xmin],
    );
    outcome.sealed += rowCount;
  }
  return { rows: rows.length, lastId: rows.at(-1)?.id ?? "" };
}

function fieldsMarked(isMeant: (mark: string) => boolean): string[] {
  const fields = checkTypes.members.flatMap(({ secretFields }) =>
    Object.entries(secretFields).flatMap(([field, mark]) => (isMeant(mark) ? [field] : [])),
  );
  return [...new Set(fields)];
}

function openOrUndefined<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}
