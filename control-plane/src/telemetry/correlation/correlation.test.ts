import type { CheckId, NetworkRequest } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test-support/database.ts";
import { setTelemetryStage } from "../../../test-support/telemetry.ts";
import { detectCorrelations } from "./detect.ts";
import {
  CORRELATION_WINDOW_MS,
  type FailingRun,
  failedThirdParties,
  sharedDependencies,
} from "./shared-dependencies.ts";

/** Returns a request in the form in which a browser's result lists it. */
const aRequest = (request: Partial<NetworkRequest>): NetworkRequest => ({
  url: "https://www.shop.example.com/",
  method: "GET",
  resourceType: "document",
  httpStatusCode: 200,
  startedAt: "2026-01-01T00:00:00.000Z",
  durationMs: 12,
  responseBytes: null,
  ...request,
});
const page = aRequest({});
const answered = aRequest({ url: "https://cdn.example.net/app.js", resourceType: "script" });
const cdn = { ...answered, httpStatusCode: null, errorText: "net::ERR_CONNECTION_REFUSED" };
const aRun = (checkId: string, atMs = 0, requests = [page, cdn]) => ({
  checkId: checkId as CheckId,
  host: undefined,
  atMs,
  requests,
});

describe("failed third parties", () => {
  it.each([
    ["no answer", [page, cdn], ["cdn.example.net"]],
    ["a server error", [page, { ...answered, httpStatusCode: 503 }], ["cdn.example.net"]],
    ["not found is the page's own mistake", [page, { ...answered, httpStatusCode: 404 }], []],
    ["given up by the page", [page, { ...cdn, errorText: "net::ERR_ABORTED" }], []],
    ["refused by the browser", [page, { ...cdn, errorText: "net::ERR_BLOCKED_BY_ORB" }], []],
    ["under way when the run ended", [page, { ...answered, httpStatusCode: null, durationMs: null }], []],
    ["the site's own other host", [page, { ...cdn, url: "https://static.example.com/a.css" }], []],
    ["the page itself", [{ ...cdn, url: page.url, resourceType: "document" }], []],
    ["not a URL", [page, { ...cdn, url: "about:blank" }], []],
  ])("%s", (_, requests, expected) => {
    expect([...failedThirdParties({ ...aRun("a"), requests })]).toEqual(expected);
  });

  const slow = { ...answered, durationMs: 901 };
  const missing = { ...answered, httpStatusCode: 404 };
  const open = { ...answered, httpStatusCode: null, durationMs: null };
  const startedMs = Date.parse(open.startedAt);
  it.each<[string, Partial<FailingRun>, string[]]>([
    ["left hanging", { requests: [page, open], atMs: startedMs + 3_000 }, ["cdn.example.net"]],
    ["open for a moment", { requests: [page, open], atMs: startedMs + 2_999 }, []],
    ["a 4xx that is new", { requests: [page, missing], usual: [answered] }, ["cdn.example.net"]],
    ["a 4xx as ever", { requests: [page, missing], usual: [{ ...missing, url: `${missing.url}?v=2` }] }, []],
    [
      "more than three times as slow",
      { requests: [page, slow], usual: [{ ...answered, durationMs: 300 }] },
      ["cdn.example.net"],
    ],
    [
      "just three times as slow",
      { requests: [page, { ...slow, durationMs: 900 }], usual: [{ ...answered, durationMs: 300 }] },
      [],
    ],
    [
      "slow, and too quick to matter",
      { requests: [page, { ...slow, durationMs: 200 }], usual: [{ ...answered, durationMs: 10 }] },
      [],
    ],
    ["slow, and never seen before", { requests: [page, slow], usual: [page] }, []],
    ["the page's own 4xx", { requests: [{ ...page, httpStatusCode: 404 }], usual: [page] }, []],
  ])("%s", (_, run, expected) => {
    expect([...failedThirdParties({ ...aRun("a"), ...run })]).toEqual(expected);
  });

  it("a public suffix is no site: two customers of one host are strangers", () => {
    const requests = [
      { ...page, url: "https://a.co.uk/" },
      { ...cdn, url: "https://b.co.uk/x.js" },
    ];
    expect([...failedThirdParties({ ...aRun("a"), requests })]).toEqual(["b.co.uk"]);
  });
});

describe("shared dependencies", () => {
  it.each([
    ["one check alone", [aRun("a"), aRun("a", 5)], 0],
    ["two checks", [aRun("a"), aRun("b", 5)], 1],
    ["the last millisecond of the window", [aRun("a"), aRun("b", CORRELATION_WINDOW_MS - 1)], 1],
    ["a window apart", [aRun("a"), aRun("b", CORRELATION_WINDOW_MS)], 0],
  ])("%s", (_, runs, count) => {
    expect(sharedDependencies(runs)).toHaveLength(count);
  });
});

describe("in the database", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database?.drop());

  it("is reported once while it lasts, however many replicas look; and again after it was quiet", async () => {
    const stage = await setTelemetryStage(database.knex);
    await stage.set({ endpoint: "http://127.0.0.1:9/" });
    const checks = [await stage.aCheck({ type: "browser" }), await stage.aCheck({ type: "browser" })];
    const nowMs = Date.now();
    const fail = async () => {
      for (const check of checks)
        await stage.store([{ check, status: 2, detail: { networkRequestsJson: [page, cdn] } }]);
    };
    // The check's own host is 127.0.0.1, so that the page's host counts as a third party that answered.
    await fail();
    const looks = await Promise.all([1, 2].map(() => detectCorrelations(database.knex, nowMs)));
    expect(looks.reduce((a, b) => a + b)).toBe(1);
    expect(await detectCorrelations(database.knex, nowMs)).toBe(0);
    const [event] = await database.knex("derivedEvents").where({ teamId: stage.team.id });
    expect(event).toMatchObject({ name: "synthetics.correlation.detected", severity: "warning" });
    expect(event.attributes["synthetics.correlation.dependency"]).toBe("cdn.example.net");
    expect(event.attributes["synthetics.correlation.check_ids"].sort()).toEqual(
      checks.map(({ id }) => id).sort(),
    );
    await database.knex("correlatedDependencies").update({ lastSeenAt: new Date(nowMs - 5_000_000) });
    expect(await detectCorrelations(database.knex, nowMs)).toBe(1);
  });

  it("compares a failing run with the check's last success", async () => {
    const stage = await setTelemetryStage(database.knex);
    await stage.set({ endpoint: "http://127.0.0.1:9/" });
    const checks = [await stage.aCheck({ type: "browser" }), await stage.aCheck({ type: "browser" })];
    const missing = { ...answered, httpStatusCode: 403 };
    for (const check of checks)
      await stage.store([{ check, status: 1, detail: { networkRequestsJson: [page, answered] } }]);
    for (const check of checks)
      await stage.store([{ check, status: 2, detail: { networkRequestsJson: [page, missing] } }]);
    expect(await detectCorrelations(database.knex, Date.now())).toBe(1);
  });
});
