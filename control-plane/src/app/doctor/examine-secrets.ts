/** Examines whether the secrets at rest open under the key that the settings name. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Finding, found, listed } from "@svc/contract";
import type { Config } from "../../platform/config.ts";
import { openSecretBox, SECRET_KEY_FILE } from "../../platform/db/open-secret-box.ts";
import { findUnreadableSecrets } from "../../platform/db/reseal.ts";
import type { Patient } from "./patient.ts";

/** Returns whether each credential that is encrypted at rest can be read. */
export async function examineSecrets({ config, knex }: Patient): Promise<Finding[]> {
  if (!knex) return [found.skipped("the database can't be asked")];
  if (!hasKey(config))
    return [
      found.problem(
        `the key that opens credentials is gone: ${join(config.dataDir, SECRET_KEY_FILE)} is missing`,
        "put the file back from a backup, or set SVC_SECRET_KEY to its former content",
      ),
    ];
  const unreadable = await findUnreadableSecrets(knex, openSecretBox(config));
  if (unreadable.length === 0) return [found.ok("every credential that is encrypted at rest can be read")];
  return [
    found.problem(
      `neither SVC_SECRET_KEY nor SVC_SECRET_KEY_PREVIOUS opens ${listed(unreadable)}`,
      "give the former key as SVC_SECRET_KEY_PREVIOUS and run `svc-control-plane secrets reseal`, or enter these credentials again",
    ),
  ];
}

/** False where opening the secrets would make a key, which then opens nothing. */
function hasKey({ secretKey, dataDir }: Config): boolean {
  return Boolean(secretKey) || existsSync(join(dataDir, SECRET_KEY_FILE));
}
