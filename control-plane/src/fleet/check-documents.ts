/** Checks in the form that agents receive, with the secrets of their configuration opened. Read when they are sent. */
import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { type CheckId, phaseMs, type TeamId } from "@svc/contract";
import { type Check, CheckSchema } from "@svc/proto/svc/runner/v1/runner_pb";
import type { Knex } from "knex";
import { specIdsOf } from "../checks/api-specs/assert-specs-exist.ts";
import { contentHashes } from "../checks/api-specs/store.ts";
import { queryRows } from "../platform/db/rows.ts";
import type { SecretBox } from "../platform/db/secret-box.ts";
import type { Services } from "../platform/services.ts";

interface DocumentRow {
  key: number;
  id: CheckId;
  teamId: TeamId;
  name: string;
  type: string;
  config: Record<string, unknown>;
  configSecrets: Buffer | null;
  frequencySeconds: number;
  retry: unknown;
  revision: number;
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
    `SELECT key, octet_length(config::text) + coalesce(octet_length(config_secrets), 0) AS bytes
     FROM checks WHERE key = ANY(?)`,
    [checkKeys],
  );
  return new Map(rows.map(({ key, bytes }) => [key, bytes + ENVELOPE_BYTES]));
}

/**
 * Reads checks by key. A check whose secrets can't be opened is left out and logged: without them it would fail although
 * its target is well.
 */
export async function loadCheckDocuments(
  { knex, secrets, log }: Pick<Services, "knex" | "secrets" | "log">,
  checkKeys: readonly number[],
): Promise<Map<number, Check>> {
  if (checkKeys.length === 0) return new Map();
  const rows = await queryRows<DocumentRow>(
    knex,
    `SELECT key, id, team_id, name, type, config, config_secrets, frequency_seconds,
       retry, revision
     FROM checks WHERE key = ANY(?)`,
    [checkKeys],
  );
  const hashes = await contentHashes(knex, [...new Set(rows.flatMap(({ config }) => specIdsOf(config)))]);
  const documents = new Map<number, Check>();
  for (const row of rows) {
    try {
      documents.set(row.key, checkToProto(row, secrets, hashes));
    } catch (error) {
      log.error({ err: error, checkId: row.id }, "the check is not run, as its secrets can't be opened");
    }
  }
  return documents;
}

/** @param hashes SHA-256 of the stored API specs by their id */
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

/** Returns the number that stands for a team among the checks of an agent. Two teams that share one also share their places. */
function teamNumber(teamId: TeamId): number {
  return createHash("sha256").update(teamId).digest().readUInt32BE();
}
