/** Sends requests that were made to be dear, several at once, and watches what others' answers take meanwhile. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ControlPlane, newApiKey } from "../harness/control-plane.ts";
import { longestWaitDuring, WAIT_CPU_MS_MAX } from "../harness/pressure.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";

/** Requests of each kind; no more than two are under way at a time. */
const REQUESTS = 6;

let stack: TestStack;
let controlPlane: ControlPlane;
let channelPath: string;
beforeAll(async () => {
  stack = await startTestStack();
  controlPlane = await stack.controlPlane({
    databaseUrl: (await stack.database()).url,
    apiKey: newApiKey(),
  });
  const { channel } = await controlPlane.ok<{ channel: { id: string } }>(
    "POST",
    "/api/notification-channels",
    { name: "hook", channel: { type: "webhook", url: "http://127.0.0.1:1/" } },
  );
  channelPath = `/api/notification-channels/${channel.id}`;
});
afterAll(() => stack?.[Symbol.asyncDispose](), 60_000);

const MIB = 1024 * 1024;
const fields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`unknown${i}`, 0]));
const template = (body: string) => ({
  incidentTemplate: { channelType: "webhook", overrides: { opened: { body } } },
});
const check = (httpConfig: object) => ({
  name: "dear",
  type: "http",
  locations: ["loc_us_east"],
  httpConfig: { url: "http://127.0.0.1:1/", ...httpConfig },
});
const resource = { kind: "check", name: "a", resourceId: "chk_1", hash: "h", updatedAt: "now" };

/** Title, expected status, method, path and body. */
type DearRequest = [string, number, string, () => string, () => unknown];

const DEAR_REQUESTS: DearRequest[] = [
  [
    "a name of a megabyte at sign-in",
    413,
    "POST",
    () => "/api/auth/login",
    () => ({ ["x".repeat(MIB - 9)]: 1 }),
  ],
  ["a field of a megabyte", 400, "POST", () => "/api/checks", () => ({ ["x".repeat(MIB - 9)]: 1 })],
  ["60,000 unknown fields", 400, "POST", () => "/api/checks", () => fields(60_000)],
  [
    "60,000 wrong items",
    400,
    "POST",
    () => "/api/checks",
    () => check({ assertions: Array(60_000).fill({}) }),
  ],
  [
    "a template of nested expressions",
    400,
    "PUT",
    () => channelPath,
    () => template(`{{jsonBody ${"(a ".repeat(8_000)}${")".repeat(8_000)}}}`),
  ],
  ["a template of many blocks", 400, "PUT", () => channelPath, () => template("{{#a}}N{{/a}}".repeat(4_000))],
  [
    "a rule that never occurs",
    400,
    "POST",
    () => "/api/maintenance-windows",
    () => ({
      name: "never",
      checkIds: "all",
      startsAt: "2026-06-02T00:00:00Z",
      endsAt: "2026-06-02T01:00:00Z",
      recurring: true,
      recurrenceRule: "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
    }),
  ],
  [
    "a list of 50,000 resources",
    200,
    "PUT",
    () => "/api/deploy-baselines/shop",
    () => ({ resources: Array(50_000).fill(resource) }),
  ],
];

it.each(DEAR_REQUESTS)(
  "%s is answered %i and holds up nobody else",
  async (_title, status, method, path, body) => {
    const sent = JSON.stringify(body());
    const send = async () => {
      const response = await controlPlane.fetch(path(), {
        method,
        headers: { authorization: `Bearer ${controlPlane.apiKey}`, "content-type": "application/json" },
        body: sent,
      });
      await response.arrayBuffer();
      return response.status;
    };
    const { result, waitCpuMs } = await longestWaitDuring(controlPlane, async () => {
      const statuses: number[] = [];
      for (let i = 0; i < REQUESTS; i += 2) statuses.push(...(await Promise.all([send(), send()])));
      return statuses;
    });
    expect(new Set(result)).toEqual(new Set([status]));
    expect(waitCpuMs).toBeLessThan(WAIT_CPU_MS_MAX);
  },
);
