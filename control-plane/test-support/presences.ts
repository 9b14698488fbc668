/** Runners that were at a location for a time, as rows of the database. */
import { newId } from "@svc/contract";
import type { Knex } from "knex";

/** Stores a runner that was at a location from an instant to another, Unix ms, and can run checks of these types. */
export async function storePresence(
  knex: Knex,
  locationKey: number,
  {
    fromMs,
    untilMs,
    capabilities = ["http"],
  }: { fromMs: number; untilMs: number; capabilities?: readonly string[] },
): Promise<void> {
  const [runner] = await knex("runners")
    .insert({
      id: newId("runner"),
      runnerUuid: crypto.randomUUID(),
      processUuid: crypto.randomUUID(),
      runnerKeyId: newId("runnerKey"),
      locationKeys: [locationKey],
      hostname: "h",
      version: "1",
      capabilities: [...capabilities],
      capacityPerSecond: 1,
      replicaId: "a",
      connectedAt: new Date(fromMs),
      lastHeartbeatAt: new Date(untilMs),
      leaseUntil: new Date(untilMs),
    })
    .returning("key");
  await knex("runnerPresence").insert({
    runnerKey: runner.key,
    locationKey,
    capabilities: [...capabilities],
    fromMs,
    untilMs,
  });
}
