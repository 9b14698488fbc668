/** `svc-control-plane secrets ...`: what is encrypted at rest. */
import { DomainError } from "@svc/contract";
import { openSecretBox } from "../../platform/db/open-secret-box.ts";
import { resealSecrets } from "../../platform/db/reseal.ts";
import { table } from "./table.ts";
import { withDatabase } from "./with-database.ts";

/**
 * Seals everything anew under SVC_SECRET_KEY. Prints counts.
 * @throws DomainError conflict when some value opens under no known key, once all others are sealed
 */
export async function resealSecretsCommand(): Promise<string> {
  const tables = await withDatabase((knex, config) => resealSecrets(knex, openSecretBox(config)));
  const counts = table(
    ["TABLE", "RESEALED", "ALREADY CURRENT", "UNREADABLE"],
    tables.map(({ table, resealed, current, unreadable }) => [
      table,
      String(resealed),
      String(current),
      String(unreadable.length),
    ]),
  );
  const unreadable = tables.flatMap((entry) => entry.unreadable);
  if (unreadable.length > 0)
    throw new DomainError(
      "conflict",
      `${counts}\nneither SVC_SECRET_KEY nor SVC_SECRET_KEY_PREVIOUS opens: ${unreadable.join(", ")}`,
    );
  return `${counts}\neverything is sealed under SVC_SECRET_KEY; SVC_SECRET_KEY_PREVIOUS is needed no more once every replica has the new key`;
}
