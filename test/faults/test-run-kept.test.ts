import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { untilReady } from "../harness/control-plane.ts";
import { createLocation } from "../harness/fleet.ts";
import { setUpTestStack } from "../harness/stack-of-test.ts";
import { until } from "../harness/wait.ts";

const stack = setUpTestStack();

interface Standing {
  phase: string;
  problem: string | null;
  result: { status: string; httpStatusCode: number } | null;
}

test("what a test run found while the database was away is known once it is back", async () => {
  const { proxiedUrl, proxy } = await stack.database();
  const controlPlane = await stack.controlPlane({ databaseUrl: proxiedUrl });
  const { locationId, runnerKey } = await createLocation(controlPlane, "patient");
  const runner = stack.runner({ key: runnerKey, port: controlPlane.runnerPort });
  let answer = () => {};
  let hasAnswered = false;
  const target = createServer((_, response) => {
    answer = () => {
      hasAnswered = true;
      response.writeHead(418).end();
    };
  }).listen(0, "127.0.0.1");
  stack.atEnd(() => {
    target.closeAllConnections();
    target.close();
  });
  await until("the address of the target", () => target.address());

  const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
  const begin = () =>
    controlPlane.call<{ testRun: { id: string; locations: Standing[] } }>("POST", "/api/test-runs", {
      type: "http",
      httpConfig: { url, timeoutMs: 60_000, assertions: [{ type: "status_code", value: 418 }] },
      locations: [locationId],
    });
  const begun = await until(
    "a runner takes the test run",
    async () => {
      const { body } = await begin();
      return body.testRun?.locations[0]?.phase === "ordered" ? body.testRun : undefined;
    },
    { everyMs: 7_000 },
  );
  const read = () =>
    controlPlane.call<{ testRun: { locations: Standing[] } }>("GET", `/api/test-runs/${begun.id}`);
  const standing = async () => (await read()).body.testRun?.locations[0];
  await until("it runs", async () => (await standing())?.phase === "running");

  proxy.setMode("refuse");
  await until(
    "/readyz says that the database is away",
    async () => (await fetch(`${controlPlane.url}/readyz`)).status === 503,
  );
  answer();
  expect(hasAnswered).toBe(true);
  // The report came, and could not be stored.
  await until("the control plane says that a report was not recorded", () =>
    controlPlane.process.output().includes("a report about a test run could not be recorded"),
  );
  expect((await read()).status).toBe(503);
  proxy.setMode("up");
  await untilReady(controlPlane);

  await until("the test run is done", async () => (await standing())?.phase === "done");
  expect(await standing()).toMatchObject({
    phase: "done",
    problem: null,
    result: { status: "success", httpStatusCode: 418 },
  });
  expect(runner.hasEnded()).toBe(false);
});
