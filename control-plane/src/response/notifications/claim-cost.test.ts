import { newId } from "@svc/contract";
import type { Knex } from "knex";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { aPayload } from "../../../test-support/notifications.ts";
import { registerChannelRoutes } from "../../outbox/channels/routes.ts";
import { reportAlerts } from "../../outbox/report-alerts.ts";
import { claimNotifications } from "./queue-store.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({ register: registerChannelRoutes });
});
afterAll(() => test.close());

/** Counts the blocks of 8 KiB that a claim reads, by the database's own count. */
async function blocksOfClaim(): Promise<number> {
  const { knex } = test.services;
  let blocks = 0;
  const explaining = {
    raw: async (sql: string, bindings: Record<string, Knex.RawBinding>) => {
      const { rows } = await knex.raw(`EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ${sql}`, bindings);
      blocks = rows[0]["QUERY PLAN"][0].Plan["Shared Hit Blocks"];
      return { rows: [], fields: [] };
    },
  };
  const options = { owner: "test", leaseMs: 60_000, limit: 400, perChannel: 16, space: new Map() };
  await claimNotifications(explaining as unknown as Knex, options);
  return blocks;
}

it("a claim costs no more however many notifications wait, also before the database has counted them", async () => {
  const channel = { type: "webhook", url: "http://127.0.0.1:9/" };
  const { id } = (await test.call("POST", "/api/notification-channels", { name: "a", channel })).body.channel;
  const tell = (count: number) =>
    reportAlerts(
      test.services.knex,
      Array.from({ length: count }, () => ({
        teamId: test.team.teamId,
        channelIds: [id],
        kind: "triggered" as const,
        instanceId: newId("alertInstance"),
        payload: aPayload(),
      })),
    );
  await tell(32);
  const few = await blocksOfClaim();
  await tell(4_000);
  expect(await blocksOfClaim()).toBeLessThan(few + 500);
});
