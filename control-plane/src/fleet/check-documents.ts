/** Checks in the form that agents receive, with the secrets of their configuration opened. Read when they are sent. */
import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { type CheckId, phaseMs, type TeamId, type TestRunId } from "@svc/contract";
import { type Check, CheckSchema } from "@svc/proto/svc/runner/v1/runner_pb";
import type { Knex } from "knex";
import { specIdsOf } from "../checks/api-specs/assert-specs-exist.ts";
import { contentHashes } from "../checks/api-specs/store.ts";
import { revisionSql } from "../checks/team-secrets/revision-sql.ts";
import { queryRows } from "../platform/db/rows.ts";
import type { SecretBox } from "../platform/db/secret-box.ts";
import type { Services } from "../platform/services.ts";
import type { RunnerSealer } from "./runner-sealer.ts";

/** A check as it is stored, with the secrets that it refers to. */
export interface DocumentRow {
  key: number;
  id: CheckId | TestRunId;
  teamId: TeamId;
  name: string;
  type: string;
  config: Record<string, unknown>;
  configSecrets: Buffer | null;
  frequencySeconds: number;
  retry: unknown;
  revision: number;
  vaultNames: string[];
  /** The secrets of these names; null: there are none. Values are sealed, in hexadecimal digits. */
  vaultSecrets: { id: string; name: string; value: string }[] | null;
}

/** A check as all runners get it, and the values that are sealed to the one that gets it. */
export interface CheckDocument {
  check: Check;
  /** Values of the secrets that the configuration refers to, by name; undefined: it refers to none. */
  secretValues?: Readonly<Record<string, string>>;
}

/**
 * SQL of the secrets that a row refers to by its `vault_names`, as {@link DocumentRow} has them.
 * @param table alias of the row's table, which has `team_id` and `vault_names`
 */
export function vaultSecretsSql(table: string): string {
  return `CASE WHEN ${table}.vault_names <> '{}' THEN
    (SELECT json_agg(json_build_object('id', s.id, 'name', s.name, 'value', encode(s.value, 'hex')))
     FROM team_secrets s WHERE s.team_id = ${table}.team_id AND s.name = ANY(${table}.vault_names)) END`;
}

/** Size of the rest of a check in a message: name, ids, numbers, names of specs. */
const ENVELOPE_BYTES = 1024;

/** Returns about how many bytes each check takes in a message, by key. */
export async function loadDocumentBytes(
  knex: Knex,
  checkKeys: readonly number[],
): Promise<Map<number, number>> {
  const rows = await queryRows<{ key: number; bytes: number }>(
    knex,
    `SELECT key, octet_length(config::text) + coalesce(octet_length(config_secrets), 0)
       + coalesce((SELECT sum(s.stored_bytes) FROM team_secrets s
                   WHERE s.team_id = checks.team_id AND s.name = ANY(checks.vault_names)), 0)::integer AS bytes
     FROM checks WHERE key = ANY(?)`,
    [checkKeys],
  );
  return new Map(rows.map(({ key, bytes }) => [key, bytes + ENVELOPE_BYTES]));
}

/**
 * Returns a check as one runner gets it, with the values of secrets sealed to that runner.
 * @param sealer undefined: the runner has no key
 * @returns undefined when the check refers to secrets that the runner could not open
 */
export function documentFor(
  { check, secretValues }: CheckDocument,
  sealer: RunnerSealer | undefined,
): Check | undefined {
  if (secretValues === undefined) return check;
  if (sealer === undefined) return undefined;
  const sealedSecrets = sealer.seal(JSON.stringify(secretValues), check.checkId);
  return create(CheckSchema, { ...check, sealedSecrets });
}

/** Reads checks by key for one runner. See {@link loadCheckDocuments} and {@link documentFor}. */
export async function loadChecksFor(
  services: Pick<Services, "knex" | "secrets" | "log">,
  checkKeys: readonly number[],
  sealer: RunnerSealer | undefined,
): Promise<Map<number, Check>> {
  const documents = await loadCheckDocuments(services, checkKeys);
  const checks = new Map<number, Check>();
  for (const [key, document] of documents) {
    const check = documentFor(document, sealer);
    if (check !== undefined) checks.set(key, check);
  }
  return checks;
}

/**
 * Reads checks by key. A check whose secrets can't be opened is left out and logged: without them it would fail although
 * its target is well.
 */
export async function loadCheckDocuments(
  { knex, secrets, log }: Pick<Services, "knex" | "secrets" | "log">,
  checkKeys: readonly number[],
): Promise<Map<number, CheckDocument>> {
  if (checkKeys.length === 0) return new Map();
  const rows = await queryRows<DocumentRow>(
    knex,
    `SELECT key, id, team_id, name, type, config, config_secrets, frequency_seconds,
       retry, ${revisionSql("checks")} AS revision, vault_names,
       ${vaultSecretsSql("checks")} AS vault_secrets
     FROM checks WHERE key = ANY(?)`,
    [checkKeys],
  );
  const hashes = await contentHashes(knex, [...new Set(rows.flatMap(({ config }) => specIdsOf(config)))]);
  const documents = new Map<number, CheckDocument>();
  for (const row of rows) {
    try {
      documents.set(row.key, documentOf(row, secrets, hashes));
    } catch (error) {
      log.error({ err: error, checkId: row.id }, "the check is not run, as its secrets can't be opened");
    }
  }
  return documents;
}

/**
 * Returns the document of a row.
 * @param hashes SHA-256 of the stored API specs by their id
 * @throws Error when a secret opens under no known key
 */
export function documentOf(
  row: DocumentRow,
  secrets: SecretBox,
  hashes: ReadonlyMap<string, string>,
): CheckDocument {
  return {
    check: checkToProto(row, secrets, hashes),
    ...(row.vaultNames.length > 0 && { secretValues: openValues(row, secrets) }),
  };
}

/** @throws Error when a value opens under no known key */
function openValues({ vaultSecrets }: DocumentRow, secrets: SecretBox): Record<string, string> {
  return Object.fromEntries(
    (vaultSecrets ?? []).map(({ id, name, value }) => [name, secrets.open(Buffer.from(value, "hex"), id)]),
  );
}

function checkToProto(row: DocumentRow, secrets: SecretBox, hashes: ReadonlyMap<string, string>): Check {
  const opened = row.configSecrets === null ? {} : JSON.parse(secrets.open(row.configSecrets, row.id));
  return create(CheckSchema, {
    checkKey: BigInt(row.key),
    checkId: row.id,
    name: row.name,
    type: row.type,
    configJson: JSON.stringify({ ...row.config, ...opened }),
    frequencySeconds: row.frequencySeconds,
    phaseMs: phaseMs(row.id, row.frequencySeconds),
    revision: BigInt(row.revision),
    teamNumber: teamNumber(row.teamId),
    retryJson: row.retry === null ? "" : JSON.stringify(row.retry),
    apiSpecs: specIdsOf(row.config).flatMap((specId) => {
      const contentSha256 = hashes.get(specId);
      return contentSha256 === undefined ? [] : [{ specId, contentSha256 }];
    }),
  });
}

/**
 * Returns the number that stands for a team among the checks of an agent. Two teams that share one also share their
 * places.
 */
function teamNumber(teamId: TeamId): number {
  return createHash("sha256").update(teamId).digest().readUInt32BE();
}
