/** The exporter of a real process, killed between a collector's yes and the note of it. */
import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { type OtlpReceiver, startOtlpHttp } from "../../control-plane/test-support/otlp/receiver.ts";
import { sendResults } from "../bench/bench-agent.ts";
import { createLoad, openBenchDatabase } from "../bench/bench-database.ts";
import { setUpTestStack } from "../harness/stack-of-test.ts";
import { until } from "../harness/wait.ts";

const stack = setUpTestStack();
let receiver: OtlpReceiver;
beforeEach(async () => {
  receiver = await startOtlpHttp();
  stack.atEnd(() => receiver.close());
});

const RESULTS = 5_000;
/** Rows of one request, see docs/telemetry.md. */
const BATCH_ROWS = 1_000;

test("a control plane killed after the endpoint took a request sends that one again, and loses none", async () => {
  const dataDir = stack.folder();
  const controlPlane = await stack.controlPlane({ dataDir });
  const database = await openBenchDatabase(dataDir);
  const { runnerKey, locationKey, checks } = await createLoad(controlPlane, database, 50);
  await database.close();
  receiver.answer = () => ({ status: 503 });
  await controlPlane.ok("PUT", "/api/telemetry", { endpoint: receiver.url });
  const runner = { port: controlPlane.runnerPort, runnerKey, runnerUuid: randomUUID() };
  expect(await sendResults(runner, checks, locationKey, Date.now(), RESULTS)).toBe(0);

  let received = 0;
  let killed: Promise<unknown> | undefined;
  receiver.answer = () => {
    if (++received === 3) killed = controlPlane.process.kill9();
    return "ok";
  };
  await until("the third request is received", () => killed !== undefined, { withinMs: 90_000 });
  await killed;
  const beforeRestart = countById();
  expect(beforeRestart.size).toBeLessThan(RESULTS);
  await controlPlane.restart();
  await until("every result is exported", () => countById().size === RESULTS, { withinMs: 90_000 });
  await until("nothing waits any more", async () => {
    const { status } = await controlPlane.ok<{ status: { lagSeconds: number }[] }>("GET", "/api/telemetry");
    return status[0]?.lagSeconds === 0;
  });

  const counts = [...countById()];
  const repeated = counts.filter(([, count]) => count > 1);
  expect(repeated.every(([id, count]) => count === 2 && beforeRestart.has(id))).toBe(true);
  expect(repeated.length).toBeGreaterThan(0);
  expect(repeated.length).toBeLessThanOrEqual(BATCH_ROWS);
});

/** Returns the number of times that each result arrived. */
function countById(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { attributes } of receiver.logs) {
    const id = attributes["synthetics.result.id"];
    // Other records are logs as well: that the destination was changed is one.
    if (typeof id !== "string") continue;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}
