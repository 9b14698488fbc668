/** Checks of several requests: from the request that creates one to what the API answers of its run. */
import http from "node:http";
import type { AddressInfo } from "node:net";
import type { Check, Result } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ControlPlane } from "../harness/control-plane.ts";
import { createLocation } from "../harness/fleet.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";
import { until } from "../harness/wait.ts";

const PASSWORD = "pass-word-4711";
const TOKEN = "session-token-0815";

let stack: TestStack;
let controlPlane: ControlPlane;
let locationId: string;
let url: string;

const server = http.createServer((request, response) => {
  if (request.url === "/login") response.end(JSON.stringify({ token: TOKEN }));
  else response.writeHead(request.headers.authorization === `Bearer ${TOKEN}` ? 409 : 401).end(`of ${TOKEN}`);
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stack = await startTestStack();
  controlPlane = await stack.controlPlane();
  const location = await createLocation(controlPlane, "here");
  locationId = location.locationId;
  stack.runner({ key: location.runnerKey, port: controlPlane.runnerPort });
});
afterAll(async () => {
  server.close();
  await stack?.[Symbol.asyncDispose]();
});

test("a multistep check passes a value on, stores its steps, and shows neither the value nor its own secrets", async () => {
  const steps = [
    {
      name: "Log in",
      url: `${url}/login`,
      method: "POST",
      body: JSON.stringify({ password: PASSWORD }),
      extract: [{ name: "token", from: "json_path", path: "token" }],
    },
    {
      name: "Order",
      url: `${url}/orders`,
      auth: { type: "bearer", token: "{{values.token}}" },
      assertions: [{ type: "status_code", value: 200 }],
    },
    { name: "Look", url: `${url}/orders/1` },
  ];
  const body = {
    name: "Shop",
    type: "multistep",
    frequencySeconds: 3600,
    locations: [locationId],
    multistepConfig: { steps },
  };
  const { check } = await controlPlane.ok<{ check: Check }>("POST", "/api/checks", body);
  const result = await until("the check has a result", async () => {
    const path = `/api/checks/${check.id}/results?detail=true`;
    return (await controlPlane.ok<{ results: Result[] }>("GET", path)).results[0];
  });
  expect(result).toMatchObject({
    status: "failure",
    httpStatusCode: 409,
    errorCategory: "assertion",
    steps: [
      { name: "Log in", status: "success" },
      { name: "Order", status: "failure" },
    ],
    stepRequestsJson: [
      { status: "success", values: [{ name: "token", isMasked: true }] },
      { status: "failure", httpStatusCode: 409, assertions: [{ passed: false }] },
      { name: "Look", status: "skipped" },
    ],
  });
  expect(JSON.stringify(result)).not.toContain(TOKEN);
  const changes = await controlPlane.ok<object>("GET", "/api/changes");
  expect(JSON.stringify(changes)).not.toContain(PASSWORD);
});

test("a reference to a value that no earlier step extracts is refused by its field", async () => {
  const refused = await controlPlane.call("POST", "/api/checks", {
    name: "Shop",
    type: "multistep",
    locations: [locationId],
    multistepConfig: { steps: [{ name: "A", url: `${url}/{{values.id}}` }] },
  });
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toMatch(/multistepConfig\.steps(\.0|\[0\])\.url/);
});
