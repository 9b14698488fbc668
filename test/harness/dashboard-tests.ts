/** What each file of browser tests begins and ends with: a control plane, a browser that reports, and both stopped. */
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { hasBrowser } from "./browser.ts";
import type { ControlPlane } from "./control-plane.ts";
import { type DashboardBrowser, openDashboardBrowser } from "./dashboard.ts";
import { startTestStack, type TestStack } from "./test-stack.ts";
import { until } from "./wait.ts";

/** The parts that the tests of a file share; there from the first test on. */
export interface DashboardParts {
  stack: TestStack;
  controlPlane: ControlPlane;
  browser: DashboardBrowser;
  /** Address of the control plane's database, when it is one of the test run's server; else empty. */
  databaseUrl: string;
}

/** How a file's parts differ from the usual ones. */
interface SetUp {
  /** HTTP statuses that the tests cause on purpose, which the browser logs. 401 is always one: signing in begins with it. */
  refusals?: number[];
  /** Further problems that the tests cause on purpose. */
  expected?: RegExp[];
  /** True: no runner runs beside the control plane. */
  withoutRunner?: boolean;
  /** Returns further environment of the control plane; called before it starts. */
  environment?: (stack: TestStack) => Promise<Record<string, string>>;
  /** True: the database is one of the test run's server, which a test may write to. */
  withDatabase?: boolean;
  /** Makes what the tests look at, before the browser starts. */
  prepare?: (parts: Omit<DashboardParts, "browser">) => Promise<unknown>;
}

/**
 * Starts a control plane and a browser before the tests of the calling file, and stops them after the last. A test
 * after which a page had problems fails.
 */
export function setUpDashboardTests(setUp: SetUp = {}): DashboardParts {
  const parts = { databaseUrl: "" } as DashboardParts;
  const statuses = [401, ...(setUp.refusals ?? [])].join("|");
  const refused = new RegExp(
    `console: Failed to load resource: the server responded with a status of (${statuses})`,
  );
  beforeAll(async () => {
    if (!hasBrowser) return;
    parts.stack = await startTestStack();
    if (setUp.withDatabase) parts.databaseUrl = (await parts.stack.database()).url;
    parts.controlPlane = await parts.stack.controlPlane({
      environment: {
        ...(setUp.withoutRunner ? {} : { SVC_EMBEDDED_RUNNER: "true" }),
        ...(await setUp.environment?.(parts.stack)),
      },
      ...(setUp.withDatabase ? { databaseUrl: parts.databaseUrl } : {}),
    });
    await setUp.prepare?.(parts);
    parts.browser = await openDashboardBrowser(parts.controlPlane, [refused, ...(setUp.expected ?? [])]);
  });
  afterEach(async ({ task }) => {
    if (!hasBrowser) return;
    const problems = parts.browser.problems();
    if (task.result?.state === "fail") {
      const left = await parts.browser.describeOpenPages();
      await parts.browser.closePages();
      throw new Error(`the test left: ${left}\nproblems: ${problems.join("\n")}`);
    }
    expect(problems).toEqual([]);
  });
  afterAll(async () => {
    if (!hasBrowser) return;
    await parts.browser?.close();
    await parts.stack?.[Symbol.asyncDispose]();
  });
  return parts;
}

/** Makes an http check that expects the status 200, with fields of its own. Returns its id. */
export async function createHttpCheck(
  { controlPlane }: Pick<DashboardParts, "controlPlane">,
  url: string,
  fields: { name: string } & Record<string, unknown>,
): Promise<string> {
  const { check } = await controlPlane.ok<{ check: { id: string } }>("POST", "/api/checks", {
    type: "http",
    frequencySeconds: 10,
    locations: ["loc_us_east"],
    httpConfig: { url, assertions: [{ type: "status_code", value: 200 }] },
    ...fields,
  });
  return check.id;
}

/** Makes a webhook channel. Returns its id. */
export async function createWebhook(
  { controlPlane }: Pick<DashboardParts, "controlPlane">,
  url: string,
): Promise<string> {
  const { channel } = await controlPlane.ok<{ channel: { id: string } }>(
    "POST",
    "/api/notification-channels",
    { name: "On-call", channel: { type: "webhook", url } },
  );
  return channel.id;
}

/** Makes a rule that fires at the first failure. */
export async function createFirstFailureRule(
  { controlPlane }: Pick<DashboardParts, "controlPlane">,
  { checkId, channelId }: { checkId: string; channelId: string },
): Promise<void> {
  await controlPlane.ok("POST", `/api/checks/${checkId}/alerts`, {
    name: "It fails",
    conditions: [{ type: "consecutive_failures", count: 1 }],
    channelIds: [channelId],
  });
}

/** Runs a check, and waits until its newest result has the status. Returns the result's id. */
export async function runUntil(
  { controlPlane }: Pick<DashboardParts, "controlPlane">,
  checkId: string,
  status: "success" | "failure",
): Promise<string> {
  await controlPlane.ok("POST", `/api/checks/${checkId}/trigger`);
  const newest = await until(`a result that is a ${status}`, async () => {
    const { results } = await controlPlane.ok<{ results: { id: string; status: string }[] }>(
      "GET",
      `/api/checks/${checkId}/results?limit=1`,
    );
    return results.find((one) => one.status === status);
  });
  return newest.id;
}
