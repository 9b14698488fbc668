import { randomUUID } from "node:crypto";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { idle, until, useReplicaPair } from "../../test-support/replica-pair.ts";
import { wakeFleets } from "../platform/db/wake-ups.ts";

const fleets = useReplicaPair();
const { anAgent } = fleets;

describe("a session's end", () => {
  test("a runner that leaves without a goodbye loses its lease soon, but not at once", async () => {
    const a = await anAgent(0);
    a.kill();
    await until(async () => {
      const { rows } = await fleets.database.knex.raw(
        "SELECT extract(epoch FROM lease_until - clock_timestamp()) AS left FROM runners WHERE runner_uuid = ?",
        [a.runnerUuid],
      );
      expect(Number(rows[0].left)).toBeLessThan(5.1);
    });
  });

  test("the newest session of a runner wins, on whichever replica", async () => {
    const runnerUuid = randomUUID();
    const older = await anAgent(0, { runnerUuid });
    const newer = await anAgent(1, { runnerUuid });
    const error = ConnectError.from(await older.ended);
    expect(error.code).toBe(Code.Aborted);
    expect(error.rawMessage).toMatch(/took over/);
    newer.heartbeat();
    await newer.next("heartbeatReply");
  });

  test("revoking a key ends its streams", async () => {
    const a = await anAgent(0);
    await fleets.database.knex.transaction(async (trx) => {
      await trx("runnerKeys").where({ id: fleets.team.runnerKeyId }).delete();
      await wakeFleets(trx, "runner_keys");
    });
    expect(ConnectError.from(await a.ended)).toMatchObject({ code: Code.Unauthenticated });
  });

  test("a presence lasts from the first heartbeat to the last", async () => {
    const a = await anAgent(0);
    a.heartbeat();
    await idle();
    const [presence] = await fleets.database
      .knex("runnerPresence")
      .where({ locationKey: fleets.team.locationKey });
    expect(presence.untilMs).toBeGreaterThan(presence.fromMs);
    a.kill();
    await a.ended;
    await anAgent(1, { runnerUuid: a.runnerUuid, processUuid: a.processUuid });
    expect(
      await fleets.database.knex("runnerPresence").where({ locationKey: fleets.team.locationKey }),
    ).toHaveLength(1);
  });
});
