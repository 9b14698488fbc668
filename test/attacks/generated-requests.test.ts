/** Sends generated requests to a running service: whatever they hold, the answer is quick, bounded and never a fault of ours. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ControlPlane, newApiKey } from "../harness/control-plane.ts";
import {
  type ApiDocument,
  type GeneratedRequest,
  generatedRequests,
  type KnownValues,
} from "../harness/generated-requests.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";

/** Inputs of the test run; the benchmark `fuzz` sets more. */
const REQUESTS = Number(process.env.SVC_FUZZ_INPUTS ?? 2_000) / 2;
/** The seed of the test run is fixed, so that a run is as good as the next one; the benchmark chooses its own. */
const SEED = process.env.SVC_FUZZ_INPUTS === undefined ? 20_261_122 : undefined;
const TIME_LIMIT_MS = process.env.SVC_FUZZ_INPUTS === undefined ? 12_000 : 30 * 60_000;
/** Far above what any answer takes on a busy machine. */
const ANSWER_MS_MAX = 10_000;
const ANSWER_BYTES_MAX = 9 * 1024 * 1024;

const LOOPBACK_URLS = ["http://127.0.0.1:1/", "http://localhost:1/a?b=c", "https://127.0.0.1:1/é"];
const TIMES = ["2026-11-21T22:00:00Z", "2026-11-22T22:00:00", "1970-01-01T00:00:00Z", "2199-12-31T23:59:59Z"];

let stack: TestStack;
let controlPlane: ControlPlane;
let known: KnownValues;
let document: ApiDocument;
let session: string;

beforeAll(async () => {
  stack = await startTestStack();
  controlPlane = await stack.controlPlane({
    databaseUrl: (await stack.database()).url,
    apiKey: newApiKey(),
    environment: { SVC_RATE_LIMIT_PER_MINUTE: "1000000" },
  });
  known = await createRecords();
  document = (await (await fetch(`${controlPlane.url}/api/openapi.json`)).json()) as ApiDocument;
  session = await signIn();
});
afterAll(() => stack?.[Symbol.asyncDispose](), 60_000);

it(
  "generated requests are answered soon, shortly and never by a fault of ours",
  async () => {
    const statuses = new Map<number, number>();
    const requests = generatedRequests(document, known, isWanted);
    await fc.assert(
      fc.asyncProperty(requests, fc.boolean(), async (request, bySession) => {
        const answer = await send(request, bySession);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        expect(controlPlane.process.hasEnded(), controlPlane.process.output()).toBe(false);
        expect(answer.bytes).toBeLessThan(ANSWER_BYTES_MAX);
        expect(answer.ms).toBeLessThan(ANSWER_MS_MAX);
        // A part of the service that isn't set up, such as a language model, is unavailable and says so.
        if (answer.status !== 503) expect(answer.status, answer.text.slice(0, 500)).toBeLessThan(500);
        else expect(JSON.parse(answer.text).error).toEqual(expect.any(String));
      }),
      {
        numRuns: REQUESTS,
        interruptAfterTimeLimit: TIME_LIMIT_MS,
        ...(SEED === undefined ? {} : { seed: SEED, endOnFailure: true }),
      },
    );
    expect((await fetch(`${controlPlane.url}/healthz`)).status).toBe(200);
    // The requests reach what they are about: some are taken, not all are refused.
    const sent = [...statuses.values()].reduce((sum, count) => sum + count, 0);
    expect(statuses.get(200) ?? 0).toBeGreaterThan(sent / 100);
    expect(controlPlane.process.output()).not.toContain("request failed");
  },
  40 * 60_000,
);

/** Every operation but those that end the session or the records that the other requests are about, and a stream without end. */
function isWanted(method: string, path: string): boolean {
  return method !== "DELETE" && !/\/auth\/|\/billing\/|\/runner\/|\/metrics|\/sign-in|\/live/.test(path);
}

async function send(
  { method, path, body }: GeneratedRequest,
  bySession: boolean,
): Promise<{ status: number; text: string; bytes: number; ms: number }> {
  const startedAtMs = performance.now();
  const text = body === undefined ? undefined : JSON.stringify(body);
  const response = await controlPlane.fetch(path, {
    method,
    headers: {
      ...(bySession
        ? { cookie: session, origin: controlPlane.url }
        : { authorization: `Bearer ${controlPlane.apiKey}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(text === undefined ? {} : { body: text }),
  });
  const answer = await response.text();
  const ms = performance.now() - startedAtMs;
  return { status: response.status, text: answer, bytes: Buffer.byteLength(answer), ms };
}

/** Creates a record of each kind, so that the generated ids name something. */
async function createRecords(): Promise<KnownValues> {
  const post = async (path: string, body: unknown) => {
    const answer = await controlPlane.ok<Record<string, Record<string, string>>>("POST", path, body);
    return Object.values(answer)[0]?.id ?? String((answer as Record<string, unknown>).id);
  };
  const locationId = await post("/api/locations", { name: "here" });
  const common = { locations: [locationId], enabled: true };
  const url = LOOPBACK_URLS[0];
  const checkIds = [
    await post("/api/checks", { ...common, name: "http", type: "http", httpConfig: { url } }),
    await post("/api/checks", { ...common, name: "mcp", type: "mcp", mcpConfig: { endpoint: url } }),
    await post("/api/checks", {
      ...common,
      name: "browser",
      type: "browser",
      browserConfig: { browserMode: "url", url },
    }),
  ];
  const webhook = { name: "hook", channel: { type: "webhook", url } };
  const channelId = await post("/api/notification-channels", webhook);
  const [checkId = ""] = checkIds;
  const conditions = [{ type: "consecutive_failures", count: 2 }];
  const ruleId = await post(`/api/checks/${checkId}/alerts`, { conditions, channelIds: [channelId] });
  const sloId = await post("/api/slos", { checkId, name: "slo", targetBasisPoints: 9_990, windowDays: 30 });
  const windowId = await post("/api/maintenance-windows", {
    name: "window",
    checkIds: [checkId],
    startsAt: TIMES[0],
    endsAt: "2026-11-21T23:00:00Z",
  });
  const openapi =
    '{"openapi":"3.1.0","info":{"title":"a","version":"1"},"paths":{"/a":{"get":{"responses":{"200":{"description":"a"}}}}}}';
  const specId = await post("/api/specs", { name: "spec", sourceType: "upload", content: openapi });
  return {
    "/api/checks": checkIds,
    "/api/locations": [locationId],
    "/api/notification-channels": [channelId],
    "/api/alerts": [ruleId],
    "/api/slos": [sloId],
    "/api/maintenance-windows": [windowId],
    "/api/specs": [specId],
    alertId: [ruleId],
    checkId: checkIds,
    checkIds,
    channelIds: [channelId],
    locations: [locationId],
    locationId: [locationId],
    sloId: [sloId],
    specId: [specId],
    project: ["shop", "a/b"],
    url: LOOPBACK_URLS,
    endpoint: LOOPBACK_URLS,
    webhookUrl: LOOPBACK_URLS,
    instanceUrl: LOOPBACK_URLS,
    specUrl: LOOPBACK_URLS,
    targetUrl: LOOPBACK_URLS,
    addresses: ["ada@example.org"],
    startsAt: TIMES,
    endsAt: TIMES,
    until: TIMES,
    recurrenceRule: ["FREQ=WEEKLY;BYDAY=SU", "FREQ=HOURLY;INTERVAL=5", "FREQ=YEARLY;COUNT=999999"],
    timezone: ["UTC", "Europe/Berlin", "America/St_Johns", "Antarctica/Troll"],
    limit: ["1", "200", "201", "0"],
    offset: ["0", "5", "99999999999999999999"],
    operationPath: ["GET /a", "POST /b"],
    content: [openapi, "{}", "openapi: 3.1.0"],
  };
}

async function signIn(): Promise<string> {
  const response = await controlPlane.fetch("/api/auth/login", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "owner@example.com", password: "correct horse battery" }),
  });
  return response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}
