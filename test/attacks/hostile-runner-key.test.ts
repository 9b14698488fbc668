import type { Check } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aBatch, recentSlots } from "../../control-plane/test-support/fleet.ts";
import { connectAgent } from "../../control-plane/test-support/test-agent.ts";
import type { ControlPlane } from "../harness/control-plane.ts";
import { createLocation } from "../harness/fleet.ts";
import { longestWaitDuring, memoryHighWaterBytes, WAIT_CPU_MS_MAX } from "../harness/pressure.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";

const MIB = 1024 * 1024;

let stack: TestStack;
let controlPlane: ControlPlane;
beforeAll(async () => {
  stack = await startTestStack();
  controlPlane = await stack.controlPlane({
    databaseUrl: (await stack.database()).url,
    environment: { SVC_RUNNER_SESSIONS_PER_KEY_MAX: "10" },
  });
});
afterAll(() => stack[Symbol.asyncDispose](), 60_000);

/** An agent of a location of its own that holds one check. */
async function aHostileAgent(name: string) {
  const { locationId, runnerKey } = await createLocation(controlPlane, name);
  const { check } = await controlPlane.ok<{ check: Check }>("POST", "/api/checks", {
    name,
    type: "http",
    frequencySeconds: 10,
    locations: [locationId],
    httpConfig: { url: stack.target.url },
  });
  const agent = connectAgent(`http://127.0.0.1:${controlPlane.runnerPort}`, runnerKey);
  await agent.next("snapshot", ({ last }) => last);
  const [assignment] = agent.assignments().values();
  const checkKey = Number(assignment?.checkKey);
  const rows = (count: number) =>
    recentSlots({ key: checkKey, id: check.id, frequencySeconds: 10 }, count).map((slotMs) => ({
      checkKey,
      locationKey: assignment?.locationKey as number,
      slotMs,
    }));
  return { agent, rows, runnerKey };
}

test("evidence made of wrong items holds up nobody, and its results are stored", async () => {
  const { agent, rows } = await aHostileAgent("costly evidence");
  const detailJson = JSON.stringify({ assertions: new Array(87_000).fill({}) });
  const details = [0, 1, 2].map((index) => ({
    $typeName: "svc.runner.v1.ResultDetail" as const,
    index,
    detailJson,
  }));
  const { result, waitCpuMs } = await longestWaitDuring(controlPlane, () => {
    agent.send({ case: "resultBatch", value: aBatch(1, rows(3), { details }) });
    return agent.next("ack");
  });
  expect(result.rejections.map(({ reason }) => reason)).toEqual(
    details.map(() => expect.stringMatching(/not stored/)),
  );
  expect(waitCpuMs).toBeLessThan(WAIT_CPU_MS_MAX);
  await agent.leave();
});

test("a thousand details for one result cost what one costs", async () => {
  const { agent, rows } = await aHostileAgent("many details");
  const detailJson = JSON.stringify({ errorMessage: "x".repeat(3_000) });
  const details = Array.from({ length: 1_000 }, () => ({
    $typeName: "svc.runner.v1.ResultDetail" as const,
    index: 0,
    detailJson,
  }));
  agent.send({ case: "resultBatch", value: aBatch(1, rows(1), { details }) });
  const { rejections } = await agent.next("ack");
  expect(rejections).toHaveLength(999);
  expect(rejections[0]?.reason).toMatch(/the result has another/);
  await agent.leave();
});

test("a message of a million values is refused before it is decoded, and ends its stream only", async () => {
  const { agent } = await aHostileAgent("many values");
  const { agent: other } = await aHostileAgent("a neighbour");
  const before = memoryHighWaterBytes(controlPlane.process.pid);
  const { waitCpuMs } = await longestWaitDuring(controlPlane, async () => {
    agent.send({ case: "resultBatch", value: aBatch(1, [], { elapsedUs: new Array(1_000_000).fill(1) }) });
    expect(await agent.ended).toMatchObject({ rawMessage: expect.stringContaining("at most 100000 values") });
  });
  expect(waitCpuMs).toBeLessThan(WAIT_CPU_MS_MAX);
  expect(memoryHighWaterBytes(controlPlane.process.pid) - before).toBeLessThan(100 * MIB);
  other.heartbeat();
  await other.next("heartbeatReply");
  await other.leave();
});

test("a key that says Hello as ever new runners is slowed down, and its rows are bounded", async () => {
  const { agent, runnerKey } = await aHostileAgent("ever new runners");
  await agent.leave();
  const { agent: neighbour } = await aHostileAgent("another neighbour");
  const reasons: string[] = [];
  const { waitCpuMs } = await longestWaitDuring(controlPlane, async () => {
    for (let i = 0; i < 6; i++) {
      const agents = Array.from({ length: 10 }, () =>
        connectAgent(`http://127.0.0.1:${controlPlane.runnerPort}`, runnerKey),
      );
      await Promise.all(agents.map((one) => Promise.race([one.next("welcome").catch(() => {}), one.ended])));
      for (const one of agents) one.kill();
      for (const one of agents) reasons.push(String(await one.ended));
    }
  });
  expect(
    reasons.filter((reason) => /too often|connected runners at most/.test(reason)).length,
  ).toBeGreaterThan(20);
  expect(waitCpuMs).toBeLessThan(WAIT_CPU_MS_MAX);
  neighbour.heartbeat();
  await neighbour.next("heartbeatReply");
  await neighbour.leave();
});
