/** One stored history that two apps read: with the statements for PostgreSQL, and with those for Citus on a faked one. */
import { HOUR_MS, MINUTE_MS, type NewCheck, phaseMs, SECOND_MS } from "@svc/contract";
import type { Knex } from "knex";
import { controlAccess } from "../src/accounts/identity/access.ts";
import { alertingDependents } from "../src/alerting/check-dependents.ts";
import { registerSloRoutes } from "../src/alerting/slos/routes.ts";
import { registerCheckRoutes } from "../src/checks/routes.ts";
import { registerOverviewRoutes } from "../src/overview/routes.ts";
import type { ApiApp } from "../src/platform/http/api.ts";
import { createServer } from "../src/platform/http/server.ts";
import type { Services } from "../src/platform/services.ts";
import { registerCoverageRoutes } from "../src/results/coverage/routes.ts";
import { hourOf } from "../src/results/rollups/buckets.ts";
import { countThresholds } from "../src/results/rollups/count-thresholds.ts";
import { rollUp } from "../src/results/rollups/roll-up.ts";
import { registerResultRoutes } from "../src/results/routes.ts";
import { registerSeriesRoutes } from "../src/results/series/routes.ts";
import { registerStatusPageRoutes } from "../src/status-pages/routes.ts";
import { registerCertificateRoutes } from "../src/telemetry/certificates/routes.ts";
import { registerEventRoutes } from "../src/telemetry/feed/routes.ts";
import {
  type AlertTest,
  type AlertTestCheck,
  createAlertTest,
  type Delivered,
  someTlsFacts,
} from "./alerting.ts";
import { createTestClock } from "./app.ts";
import { anMcpCheck } from "./builders.ts";
import { isOnCitus } from "./database.ts";
import { openFakedCitus } from "./faked-citus.ts";

/** The history and its two readers. */
export interface StoredForBoth {
  test: AlertTest;
  /** Runs each minute at two locations; some of its results failed, some are missing, and one came late. */
  shop: AlertTestCheck;
  /** An MCP server that changed. */
  tools: AlertTestCheck;
  /** Never ran. */
  silent: AlertTestCheck;
  /** Unix ms; the history reaches {@link HISTORY_MS} back. */
  nowMs: number;
  /** Slots of the shop's runs that failed at its first location, oldest first. */
  failedSlots: number[];
  citus: Knex;
  /** Asks both apps, by the key of the team. */
  ask(url: string): Promise<{ postgres: unknown; citus: unknown; status: number }>;
  close(): Promise<void>;
}

export const HISTORY_MS = 4 * HOUR_MS;

function registerReads(app: ApiApp, services: Services): void {
  registerResultRoutes(app, services);
  registerCoverageRoutes(app, services);
  registerSeriesRoutes(app, services);
  registerSloRoutes(app, services);
  registerEventRoutes(app, services);
  registerOverviewRoutes(app, services);
  registerCertificateRoutes(app, services);
  registerStatusPageRoutes(app, services);
}

/** Stores the history, and makes the two apps. */
export async function storeForBoth(): Promise<StoredForBoth> {
  // Some statements go by the database's clock.
  const nowMs = Math.floor(Date.now() / SECOND_MS) * SECOND_MS;
  const test = await createAlertTest({ clock: createTestClock(nowMs), register: registerReads });
  // A database of tests on Citus is read by one app: there it counts that the statements are planned, and answer something.
  const citus = isOnCitus ? test.services.knex : await openFakedCitus(test.database);
  const services = { ...test.services, knex: citus };
  const app = await createServer(services, { lifecycle: { state: { status: "ready" } }, controlAccess });
  registerCheckRoutes(app, services, [alertingDependents]);
  registerReads(app, services);
  await app.ready();
  const shop = await test.newCheck({
    name: "Shop",
    frequencySeconds: 60,
    locations: ["loc_us_east", "loc_us_west"],
    httpConfig: { url: "https://shop.example.test/" },
  });
  const tools = await test.newCheck(anMcpCheck());
  const page = await test.newCheck({
    name: "Shop's page",
    type: "browser",
    frequencySeconds: 300,
    locations: ["loc_us_east"],
    browserConfig: { browserMode: "url", url: "https://shop.example.test/" },
  } as NewCheck);
  const silent = await test.newCheck({ name: "Silent" });
  await backdate(test, nowMs);
  const failedSlots = await storeResults(test, { shop, tools, page, nowMs });
  await storeBeside(test, { shop, tools, nowMs });
  await rollUp(test.services.knex, nowMs);
  await countThresholds(test.services.knex, nowMs);
  return {
    test,
    shop,
    tools,
    silent,
    nowMs,
    failedSlots,
    citus,
    ask: async (url) => {
      const postgres = await test.call("GET", url);
      const answer = await app.inject({ method: "GET", url, headers: test.team.byKey });
      const isJson = String(answer.headers["content-type"]).includes("json");
      return {
        status: postgres.status,
        postgres: [postgres.status, postgres.body],
        citus: [answer.statusCode, isJson ? answer.json() : answer.body],
      };
    },
    close: async () => {
      await app.close();
      if (!isOnCitus) await citus.destroy();
      await test.close();
    },
  };
}

/** Has the checks been there for as long as the history is. */
async function backdate({ services: { knex } }: AlertTest, nowMs: number): Promise<void> {
  await knex("checks").update({ createdAt: new Date(nowMs - HISTORY_MS) });
  await knex("checkRevisions").update({ effectiveFromMs: nowMs - HISTORY_MS });
}

type History = Pick<StoredForBoth, "shop" | "tools" | "nowMs">;

/** Requests as a browser's result lists them. */
const REQUESTS = [{ url: "https://cdn.example.test/a.js", method: "GET", statusCode: 503 }];

async function storeResults(
  test: AlertTest,
  { shop, tools, page, nowMs }: History & { page: AlertTestCheck },
): Promise<number[]> {
  const { knex } = test.services;
  const results: Delivered[] = [];
  const failedSlots: number[] = [];
  const firstMs = hourOf(nowMs - HISTORY_MS + HOUR_MS) + phaseMs(shop.id as never, 60);
  for (let slotMs = firstMs, n = 0; slotMs < nowMs - 30 * SECOND_MS; slotMs += MINUTE_MS, n++)
    for (const locationKey of shop.locationKeys)
      if (n % 17 !== 5) results.push({ slotMs, locationKey, responseTimeMs: 20 + (n % 40), tls: {} });
  const fails = results.filter(({ locationKey }) => locationKey === shop.locationKeys[0]);
  for (const result of [...fails.slice(20, 25), ...fails.slice(-6)]) {
    const detail = { errorCategory: "connect", errorMessage: "refused", networkRequestsJson: REQUESTS };
    Object.assign(result, { status: "error", detail });
    delete result.tls;
    failedSlots.push(result.slotMs);
  }
  for (const result of results)
    if (result.status === undefined)
      result.detail = { webVitals: { lcpMs: 900 }, networkRequestsJson: REQUESTS };
  for (const result of results.slice(results.length / 2))
    if (result.tls) result.tls = { fingerprintSha256: "BB:02", validTo: "2031-01-01T00:00:00.000Z" };
  await test.deliver(shop, results);
  const mcpSchemaDrift = { addedTools: ["search"], removedTools: [], changedTools: [] };
  await test.deliver(tools, [
    { slotMs: nowMs - 20 * MINUTE_MS, detail: { mcpSchemaDrift } },
    { slotMs: nowMs - 5 * MINUTE_MS },
  ]);
  await test.deliver(page, [
    { slotMs: nowMs - 15 * MINUTE_MS, detail: { networkRequestsJson: REQUESTS } },
    { slotMs: nowMs - 10 * MINUTE_MS, status: "failure", detail: { networkRequestsJson: REQUESTS } },
  ]);
  // They were stored two seconds after their run, but for one that came an hour late.
  await knex.raw(
    `UPDATE results SET created_at = to_timestamp((slot_ms + CASE WHEN slot_ms = ? THEN ${HOUR_MS} ELSE 2000 END) / 1000.0)`,
    [failedSlots[0] as number],
  );
  // A third of them have the trace ids of their runs, as merged results do, a third others, and a third none.
  await knex.raw(
    `UPDATE results SET trace_id = CASE slot_ms / ${MINUTE_MS} % 3 WHEN 0 THEN md5(slot_ms::text)::uuid END,
       has_own_trace_id = CASE slot_ms / ${MINUTE_MS} % 3 WHEN 1 THEN NULL ELSE true END`,
  );
  const storedHourMs = hourOf((failedSlots[0] as number) + HOUR_MS);
  await knex("lateHours")
    .insert({ hourMs: hourOf(failedSlots[0] as number), storedHourMs })
    .onConflict()
    .ignore();
  return failedSlots;
}

/** Stores what is read together with results. */
async function storeBeside(test: AlertTest, { shop, tools, nowMs }: History): Promise<void> {
  const { knex } = test.services;
  const { teamId } = test.team;
  const phase = phaseMs(shop.id as never, 60);
  const newest = await knex("results")
    .where({ checkKey: shop.key })
    .max<{ slotMs: number }[]>("slotMs as slotMs");
  const slotMs = newest[0]?.slotMs as number;
  const orders = [slotMs, slotMs - phase - 7 * MINUTE_MS + 1].map((at) => ({
    checkKey: shop.key,
    slotMs: at,
    locationKeys: shop.locationKeys,
    reason: "triggered",
  }));
  await knex("manualRuns").insert(orders);
  const missing = await knex.raw(
    `SELECT s AS slot_ms FROM generate_series(?::bigint, ?::bigint, ${MINUTE_MS}) s
     WHERE NOT EXISTS (SELECT FROM results WHERE check_key = ? AND slot_ms = s) ORDER BY s`,
    [slotMs - 2 * HOUR_MS, slotMs, shop.key],
  );
  const [locationKey] = shop.locationKeys;
  // One of them has a result by now.
  for (const at of [...missing.rows.slice(0, 2).map((row: { slot_ms: number }) => row.slot_ms), slotMs])
    await knex("missedSlots").insert({ checkKey: shop.key, locationKey, slotMs: at, reason: "no_runner" });
  for (const at of [slotMs, slotMs + 1])
    await knex("givenBackSlots").insert({
      checkKey: shop.key,
      locationKey,
      slotMs: at,
      reason: "lost",
      triedRunnerKeys: [1],
      runUntilMs: nowMs - 1,
    });
  await knex("telemetrySettings").insert({
    id: teamId,
    endpoint: "http://127.0.0.1:9",
    protocol: "http/json",
    enabled: true,
    traces: true,
    metrics: true,
  });
  await knex("trackedCertificates").insert({
    checkKey: shop.key,
    host: someTlsFacts().host,
    teamId,
    expiresAt: new Date(nowMs + HOUR_MS),
  });
  await knex("mcpBaselines").insert({ checkKey: tools.key }).onConflict().ignore();
  for (const more of [{}, { sliType: "performance", perfThresholdMs: 40 }])
    await create(test, "/api/slos", {
      name: "Shop",
      checkId: shop.id,
      targetBasisPoints: 9_900,
      windowDays: 7,
      ...more,
    });
  const page = {
    slug: "shop",
    title: "Shop",
    isPublished: true,
    components: [{ name: "Shop", checkId: shop.id }],
  };
  await create(test, "/api/status-pages", page);
}

async function create(test: AlertTest, url: string, body: object): Promise<void> {
  const answer = await test.call("POST", url, body);
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
}
