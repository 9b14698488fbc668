import { gunzipSync } from "node:zlib";
import { HOUR_MS, MINUTE_MS } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type AlertTest, createAlertTest } from "../../test-support/alerting.ts";
import { aRollup } from "../../test-support/builders.ts";
import { registerDeployBaselineRoutes } from "../checks/deploy-baselines/routes.ts";
import { registerLabelRoutes } from "../checks/labels/routes.ts";
import { BriefCache } from "./brief-cache.ts";
import { registerOverviewRoutes } from "./routes.ts";

let test: AlertTest;
beforeAll(async () => {
  test = await createAlertTest({
    register: (app, services) => {
      registerOverviewRoutes(app, services);
      registerLabelRoutes(app, services, []);
      registerDeployBaselineRoutes(app, services);
    },
  });
});
afterAll(() => test.close());
beforeEach(async () => {
  test.team = await test.createTeam();
});

const summary = async () => {
  // Older than what was kept for the last one who asked.
  test.clock.advance(MINUTE_MS + 1);
  return (await test.call("GET", "/api/checks/summary")).body;
};

it("says how each check stands, newest first, with shared texts named once", async () => {
  const [failing, silent] = [await test.newCheck({ name: "Cart" }), await test.newCheck({ name: "Silent" })];
  for (const check of [failing, silent])
    await test.call("PUT", `/api/checks/${check.id}/labels`, { labels: ["shop", check.id] });
  await test.call("PUT", "/api/deploy-baselines/web", {
    resources: [{ kind: "check", name: "Cart", resourceId: failing.id, hash: "0", updatedAt: "now" }],
  });
  const slotMs = test.clock.nowMs() - 10 * MINUTE_MS;
  await test.deliver(failing, [{ slotMs: slotMs - MINUTE_MS }, { slotMs, status: "failure" }]);
  const body = await summary();
  expect(body).toMatchObject({
    asOf: new Date(test.clock.nowMs()).toISOString(),
    ids: [silent.id, failing.id],
    names: ["Silent", "Cart"],
    projects: ["web"],
    projectOf: [null, 0],
    health: ["unknown", "unhealthy"],
    newestSlotMs: [null, slotMs],
    openSeverity: [null, null],
    availability24hBp: [null, null],
  });
  const namesOf = (positions: number[], texts: string[]) =>
    positions.map((position) => texts[position]).sort();
  expect(body.labelsOf.map((positions: number[]) => namesOf(positions, body.labels))).toEqual([
    ["shop", silent.id].sort(),
    ["shop", failing.id].sort(),
  ]);
  expect(body.failing[0]).toEqual([]);
  expect(body.failing[1]).toEqual(body.locationsOf[1].slice(0, 1));
  expect(body.nextCursor).toBeUndefined();
});

it("tells the availability of whole hours, and the highest open alert", async () => {
  const check = await test.newCheck();
  await test.services.knex("rollups").insert(
    aRollup({
      bucketSeconds: 3600,
      bucketMs: Math.floor(test.clock.nowMs() / HOUR_MS) * HOUR_MS - HOUR_MS,
      checkKey: check.key,
      successCount: 2,
      failureCount: 1,
    }),
  );
  expect((await summary()).availability24hBp).toEqual([6667]);
});

it("holds nothing of another team, and answers compressed to those who take it", async () => {
  await test.newCheck({ name: "of the first team" });
  const other = await test.createTeam();
  const { body } = await test.call("GET", "/api/checks/summary", undefined, other.byKey);
  expect(body).toMatchObject({ ids: [], names: [], locations: [], labels: [] });
  const answer = await test.app.inject({
    method: "GET",
    url: "/api/checks/summary",
    headers: { ...test.team.byKey, "accept-encoding": "gzip, br" },
  });
  expect(answer.headers["content-encoding"]).toBe("gzip");
  expect(JSON.parse(gunzipSync(answer.rawPayload).toString()).names).toEqual(["of the first team"]);
});

it("of 1,000 checks is made by six statements, and has at most 30 KB compressed", async () => {
  const { knex } = test.services;
  const model = await test.newCheck();
  await knex.raw(
    `INSERT INTO checks (id, team_id, name, type, enabled, frequency_seconds, location_ids, config, revision, created_at)
     SELECT 'chk_' || substr(md5(n::text) || md5('x' || n), 1, 26), team_id, 'Check number ' || n, type, enabled,
       frequency_seconds, location_ids, config, revision, created_at FROM checks CROSS JOIN generate_series(1, 999) n WHERE key = ?`,
    [model.key],
  );
  const statements: string[] = [];
  const note = ({ sql }: { sql: string }) => void statements.push(sql);
  const { team } = test;
  knex.on("query", note);
  const answer = await test.app.inject({
    method: "GET",
    url: "/api/checks/summary",
    headers: { ...team.byKey, "accept-encoding": "gzip" },
  });
  knex.off("query", note);
  expect(JSON.parse(gunzipSync(answer.rawPayload).toString()).ids).toHaveLength(1_000);
  expect(answer.rawPayload.length).toBeLessThan(30_000);
  expect(
    statements.filter((sql) => /FROM (checks|rollups|alert_instances|deploy_baselines|\(SELECT)/.test(sql)),
  ).toHaveLength(6);
});

it("refuses a cursor of another list", async () => {
  expect((await test.call("GET", "/api/checks/summary?cursor=x")).status).toBe(400);
});

it("a value is made once for those who ask together, kept for its time, and not kept when it fails", async () => {
  const cache = new BriefCache<number>(10);
  let made = 0;
  const make = async () => ++made;
  expect(
    await Promise.all([cache.get("a", 0, make), cache.get("a", 9, make), cache.get("b", 9, make)]),
  ).toEqual([1, 1, 2]);
  expect(await cache.get("a", 10, make)).toBe(3);
  const fail = () => Promise.reject(new Error("away"));
  await expect(cache.get("c", 0, fail)).rejects.toThrow("away");
  expect(await cache.get("c", 0, make)).toBe(4);
});
