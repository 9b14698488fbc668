/** `svc-control-plane runner-keys ...`: keys by which agents serve the hosted locations. Teams make theirs over REST. */
import { newId, notFound } from "@svc/contract";
import { hashToken, keyPrefixOf, newKey } from "../../accounts/identity/tokens.ts";
import { systemClock as clock } from "../../platform/clock.ts";
import { wakeFleets } from "../../platform/db/wake-ups.ts";
import { table } from "./table.ts";
import { withDatabase } from "./with-database.ts";

/** Makes a key of the hosted pool and prints it, this once. */
export async function createHostedKeyCommand(name: string): Promise<string> {
  const [id, secret] = [newId("runnerKey"), newKey("rk_")];
  await withDatabase(async (knex) => {
    await knex("runner_keys").insert({
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

export async function listRunnerKeysCommand(): Promise<string> {
  const keys = await withDatabase((knex) =>
    knex("runner_keys")
      .leftJoin("locations", "locations.key", "runner_keys.locationKey")
      .orderBy("runner_keys.createdAt")
      .select(
        "runner_keys.id",
        "runner_keys.name",
        "runner_keys.keyPrefix",
        "runner_keys.lastUsedAt",
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

/** Revokes a key; streams that were opened with it end. @throws DomainError not_found */
export async function revokeRunnerKeyCommand(id: string): Promise<string> {
  await withDatabase((knex) =>
    knex.transaction(async (trx) => {
      if ((await trx("runner_keys").where({ id }).delete()) === 0) throw notFound(`Runner key ${id}`);
      await wakeFleets(trx, "runner_keys");
    }),
  );
  return `runner key ${id} is revoked`;
}
