import { afterAll, beforeAll, expect, test } from "vitest";
import type { ControlPlane } from "../harness/control-plane.ts";
import { createLocation } from "../harness/fleet.ts";
import { longestWaitDuring, memoryHighWaterBytes, WAIT_CPU_MS_MAX } from "../harness/pressure.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";

const CHECKS = 45;
const BODY_BYTES = 240_000;
const READERS = 40;
const MIB = 1024 ** 2;

let stack: TestStack;
let controlPlane: ControlPlane;
beforeAll(async () => {
  stack = await startTestStack();
  controlPlane = await stack.controlPlane({ databaseUrl: (await stack.database()).url });
  const { locationId } = await createLocation(controlPlane, "here");
  for (let n = 0; n < CHECKS; n++)
    await controlPlane.ok("POST", "/api/checks", {
      name: `check ${n}`,
      type: "http",
      enabled: false,
      frequencySeconds: 3600,
      locations: [locationId],
      httpConfig: { url: stack.target.url, method: "POST", body: "x".repeat(BODY_BYTES) },
    });
});
afterAll(() => stack[Symbol.asyncDispose](), 60_000);

/** Asks past the check of answers, whose copies and parsing would be this process's own large memory. */
const list = () =>
  fetch(`${controlPlane.url}/api/checks`, {
    headers: { authorization: `Bearer ${controlPlane.apiKey}` },
    signal: AbortSignal.timeout(240_000),
  });

test("forty readers of ten megabytes at once get them all, and take the memory of a few batches", async () => {
  const { pid } = controlPlane.process;
  await (await list()).arrayBuffer();
  const before = memoryHighWaterBytes(pid);
  const { result: lengths, waitCpuMs } = await longestWaitDuring(controlPlane, () =>
    Promise.all(Array.from({ length: READERS }, async () => (await (await list()).arrayBuffer()).byteLength)),
  );
  for (const length of lengths) expect(length).toBeGreaterThan(CHECKS * BODY_BYTES);
  // Whole answers would take several copies of 400 MiB, and hold everybody up for seconds.
  expect(memoryHighWaterBytes(pid) - before).toBeLessThan(350 * MIB);
  expect(waitCpuMs).toBeLessThan(WAIT_CPU_MS_MAX);
}, 300_000);

test("readers that take nothing of their answer neither take memory nor keep others from the service", async () => {
  const { pid } = controlPlane.process;
  const before = memoryHighWaterBytes(pid);
  const aborts = Array.from({ length: READERS }, () => new AbortController());
  const silent = aborts.map(({ signal }) =>
    fetch(`${controlPlane.url}/api/checks`, {
      headers: { authorization: `Bearer ${controlPlane.apiKey}` },
      signal,
    }).catch(() => undefined),
  );
  const { result, waitCpuMs } = await longestWaitDuring(controlPlane, () =>
    controlPlane.call("GET", "/api/locations"),
  );
  expect(result.status).toBe(200);
  expect(waitCpuMs).toBeLessThan(WAIT_CPU_MS_MAX);
  expect(memoryHighWaterBytes(pid) - before).toBeLessThan(350 * MIB);
  for (const abort of aborts) abort.abort();
  await Promise.all(silent);
  expect((await (await list()).arrayBuffer()).byteLength).toBeGreaterThan(CHECKS * BODY_BYTES);
}, 300_000);
