/** `svc-control-plane runner-keys ...`: keys by which agents serve the hosted locations. Teams make theirs over REST. */
import { newId, notFound } from "@svc/contract";
import { storeHostedKey } from "../../accounts/identity/credential-store.ts";
import { newKey } from "../../accounts/identity/tokens.ts";
import { wakeFleets } from "../../platform/db/wake-ups.ts";
import { recordCommand } from "./operator.ts";
import { table } from "./table.ts";
import { withServices } from "./with-services.ts";

/** Makes a key of the hosted pool. The answer shows its secret, this once. */
export async function createHostedKeyCommand(name: string): Promise<string> {
  const [id, secret] = [newId("runnerKey"), newKey("rk_")];
  await withServices((services) =>
    services.knex.transaction(async (trx) => {
      await storeHostedKey(trx, { id, name, secret, createdAtMs: services.clock.nowMs() });
      const action = { action: "runner_key.created", resourceId: id, resourceName: name } as const;
      await recordCommand({ services, trx }, { ...action, teamId: null });
    }),
  );
  return [`id    ${id}`, `key   ${secret}  (shown only now)`].join("\n");
}

/** Returns the keys of all agents as a table, oldest first. */
export async function listRunnerKeysCommand(): Promise<string> {
  const keys = await withServices(({ knex }) =>
    knex("runnerKeys")
      .leftJoin("locations", "locations.key", "runnerKeys.locationKey")
      .orderBy("runnerKeys.createdAt")
      .select(
        "runnerKeys.id",
        "runnerKeys.name",
        "runnerKeys.keyPrefix",
        "runnerKeys.lastUsedAt",
        "locations.id as locationId",
      ),
  );
  return table(
    ["ID", "NAME", "KEY", "LOCATION", "LAST USED"],
    keys.map((key) => [
      key.id,
      key.name,
      `${key.keyPrefix}...`,
      key.locationId ?? "hosted pool",
      key.lastUsedAt ?? "never",
    ]),
  );
}

/**
 * Revokes a key; streams that were opened with it end.
 * @throws DomainError `not_found`
 */
export async function revokeRunnerKeyCommand(id: string): Promise<string> {
  await withServices((services) =>
    services.knex.transaction(async (trx) => {
      const [revoked] = await trx("runnerKeys").where({ id }).delete().returning(["name", "locationKey"]);
      if (!revoked) throw notFound(`Runner key ${id}`);
      await wakeFleets(trx, "runner_keys");
      const location = await trx("locations").where({ key: revoked.locationKey }).first("teamId");
      await recordCommand(
        { services, trx },
        {
          action: "runner_key.revoked",
          resourceId: id,
          resourceName: revoked.name,
          teamId: location?.teamId ?? null,
        },
      );
    }),
  );
  return `runner key ${id} is revoked`;
}
