import { afterAll, beforeAll, expect, test } from "vitest";
import { createLocation } from "../harness/fleet.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";
import { until } from "../harness/wait.ts";

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(() => stack[Symbol.asyncDispose](), 60_000);

const CHECKS = 75;
/** Together more than an agent takes in one message. */
const BODY_BYTES = 240_000;

test("an agent gets its checks though their configurations together exceed every message", async () => {
  const controlPlane = await stack.controlPlane({ databaseUrl: (await stack.database()).url });
  const { locationId, runnerKey } = await createLocation(controlPlane, "here");
  for (let i = 0; i < CHECKS; i++)
    await controlPlane.ok("POST", "/api/checks", {
      name: `check ${i}`,
      type: "http",
      frequencySeconds: 3600,
      locations: [locationId],
      httpConfig: { url: stack.target.url, method: "POST", body: "x".repeat(BODY_BYTES) },
    });
  const agent = stack.runner({ key: runnerKey, port: controlPlane.runnerPort });
  const holds = async (count: number) => {
    type Runners = { runners: { assignedChecks: number }[] };
    const { runners } = await controlPlane.ok<Runners>("GET", `/api/locations/${locationId}/runners`);
    return runners[0]?.assignedChecks === count;
  };
  await until("the agent holds all checks", () => holds(CHECKS));
  expect(agent.output()).not.toMatch(/lost|a limit ended|no session/);
}, 300_000);
