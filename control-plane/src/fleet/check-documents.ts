/** Checks as agents receive them: the configuration with its secrets opened, read from the database when it is sent. */
import { create } from "@bufbuild/protobuf";
import { phaseMs } from "@svc/contract";
import { type Check, CheckSchema } from "@svc/proto/svc/runner/v1/runner_pb";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { specIdsOf } from "../checks/api-specs/assert-specs-exist.ts";
import { contentHashes } from "../checks/api-specs/store.ts";
import { queryRows } from "../platform/db/rows.ts";
import type { SecretBox } from "../platform/db/secret-box.ts";

interface DocumentRow {
  key: number;
  id: string;
  name: string;
  type: string;
  config: Record<string, unknown>;
  configSecrets: Buffer | null;
  frequencySeconds: number;
  retry: unknown;
  revision: number;
}

/** Reads checks by key. One whose secrets can't be opened is left out and logged: run without them it would fail falsely. */
export async function loadCheckDocuments(
  db: Knex,
  secrets: SecretBox,
  log: Logger,
  checkKeys: readonly number[],
): Promise<Map<number, Check>> {
  if (checkKeys.length === 0) return new Map();
  const rows = await queryRows<DocumentRow>(
    db,
    `SELECT key, id, name, type, config, config_secrets AS "configSecrets", frequency_seconds AS "frequencySeconds",
       retry, revision
     FROM checks WHERE key = ANY(?)`,
    [checkKeys],
  );
  const hashes = await contentHashes(db, [...new Set(rows.flatMap(({ config }) => specIdsOf(config)))]);
  const documents = new Map<number, Check>();
  for (const row of rows) {
    try {
      documents.set(row.key, checkFromRow(row, secrets, hashes));
    } catch (error) {
      log.error({ err: error, checkId: row.id }, "the check's secrets can't be opened: it is not run");
    }
  }
  return documents;
}

function checkFromRow(row: DocumentRow, secrets: SecretBox, hashes: ReadonlyMap<string, string>): Check {
  const opened = row.configSecrets === null ? {} : JSON.parse(secrets.open(row.configSecrets));
  return create(CheckSchema, {
    checkKey: BigInt(row.key),
    checkId: row.id,
    name: row.name,
    type: row.type,
    configJson: JSON.stringify({ ...row.config, ...opened }),
    frequencySeconds: row.frequencySeconds,
    phaseMs: phaseMs(row.id, row.frequencySeconds),
    revision: BigInt(row.revision),
    retryJson: row.retry === null ? "" : JSON.stringify(row.retry),
    apiSpecs: specIdsOf(row.config).flatMap((specId) => {
      const contentSha256 = hashes.get(specId);
      return contentSha256 === undefined ? [] : [{ specId, contentSha256 }];
    }),
  });
}
