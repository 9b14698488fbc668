/** `svc-control-plane runner-keys ...`: keys by which agents serve the hosted locations. Teams make theirs over REST. */
import { newId, notFound } from "@svc/contract";
import { hashToken, keyPrefixOf, newKey } from "../../accounts/identity/tokens.ts";
import { wakeFleets } from "../../platform/db/wake-ups.ts";
import { table } from "./table.ts";
import { withServices } from "./with-services.ts";

/** Makes a key of the hosted pool. The answer shows its secret, this once. */
export async function createHostedKeyCommand(name: string): Promise<string> {
  const [id, secret] = [newId("runnerKey"), newKey("rk_")];
  await withServices(async ({ knex, clock }) => {
    await knex("runnerKeys").insert({
      id,
      locationKey: null,
      name,
      keyPrefix: keyPrefixOf(secret),
      keyHash: hashToken(secret),
      createdAt: new Date(clock.nowMs()),
    });
  });
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
  await withServices(({ knex }) =>
    knex.transaction(async (trx) => {
      if ((await trx("runnerKeys").where({ id }).delete()) === 0) throw notFound(`Runner key ${id}`);
      await wakeFleets(trx, "runner_keys");
    }),
  );
  return `runner key ${id} is revoked`;
}
