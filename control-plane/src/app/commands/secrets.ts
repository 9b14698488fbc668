/** `svc-control-plane secrets ...`: credentials that are encrypted at rest. */
import { DomainError } from "@svc/contract";
import { resealSecrets } from "../../platform/db/reseal.ts";
import { recordCommand } from "./operator.ts";
import { table } from "./table.ts";
import { withServices } from "./with-services.ts";

/**
 * Seals every secret anew under SVC_SECRET_KEY. The answer shows counts.
 * @throws DomainError `conflict` when some value opens under no known key, once all others are sealed
 */
export async function resealSecretsCommand(): Promise<string> {
  const tables = await withServices(async (services) => {
    const resealed = await resealSecrets(services.knex, services.secrets);
    await recordCommand({ services }, { action: "secrets.resealed", teamId: null });
    return resealed;
  });
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
