import { describe, expect, test } from "vitest";
import { createTestDatabase } from "../../test-support/database.ts";
import { aCheck, startTestFleet, testServices } from "../../test-support/fleet.ts";
import { idle, until, useReplicaPair } from "../../test-support/replica-pair.ts";
import { connectAgent } from "../../test-support/test-agent.ts";

const fleets = useReplicaPair();
const { holds, someChecks } = fleets;

describe("an outage of the database", () => {
  test("leaves streams open and moves nothing, though every lease ran out meanwhile", async () => {
    const services = [testServices(fleets.database.knex), testServices(fleets.second)] as const;
    const timing = { handoverMs: 100, pollIntervalMs: 100, recoveryHoldMs: 5_000 };
    const pair = [
      await startTestFleet(services[0], timing),
      await startTestFleet(services[1], timing),
    ] as const;
    const admin = await createTestDatabase({ poolMax: 1 });
    try {
      await someChecks(20);
      const both = pair.map((replica) => connectAgent(replica.url, fleets.team.runnerSecret));
      fleets.agents.push(...both);
      await Promise.all(both.map((agent) => agent.next("snapshot", (snapshot) => snapshot.last)));
      const held = () => both.map((agent) => [...agent.assignments().keys()].sort());
      await until(() => expect(held().flat()).toHaveLength(20));
      const before = held();

      const name = new URL(fleets.database.url).pathname.slice(1);
      await fleets.database.knex.raw(
        "UPDATE runners SET lease_until = clock_timestamp() + interval '200 ms'",
      );
      await admin.knex.raw(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await admin.knex.raw("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ?", [
        name,
      ]);
      await idle();
      for (const agent of both) agent.heartbeat();
      await Promise.all(both.map((agent) => agent.next("heartbeatReply")));
      await admin.knex.raw(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);

      await until(async () => {
        const rows = await fleets.database.knex("runners").whereIn(
          "runnerUuid",
          both.map((agent) => agent.runnerUuid),
        );
        for (const row of rows) expect(Date.parse(row.leaseUntil)).toBeGreaterThan(Date.now() + 5_000);
      });
      const late = await aCheck(fleets.database.knex, fleets.team);
      await until(() => expect(both.some((agent) => holds(agent, late))).toBe(true));
      const unmoved = held().map((pairs) =>
        pairs.filter((id) => id !== `${late.key}:${fleets.team.locationKey}`),
      );
      expect(unmoved).toEqual(before);
    } finally {
      await admin.drop();
      for (const replica of pair) await replica.close();
    }
  });
});
