import type { Check, GeneratedChecks, Result, Spec } from "@svc/contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ControlPlane } from "../harness/control-plane.ts";
import { createLocation } from "../harness/fleet.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";
import { until } from "../harness/wait.ts";

let stack: TestStack;
beforeEach(async () => {
  stack = await startTestStack();
});
afterEach(() => stack[Symbol.asyncDispose](), 60_000);

/** The target answers `ok` as plain text; a document that describes `contentType` instead is not what it conforms to. */
function aDocument(contentType: string): string {
  const content = { [contentType]: { schema: { type: "string", enum: ["ok"] } } };
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Target", version: "1" },
    servers: [{ url: stack.target.url }],
    paths: { "/things": { get: { responses: { 200: { description: "fine", content } } } } },
  });
}

/** The newest result that an agent measured from `sinceMs` on. */
function resultSince(controlPlane: ControlPlane, check: Check, sinceMs: number): Promise<Result> {
  return until("the check has a new result", async () => {
    const { results } = await controlPlane.ok<{ results: Result[] }>(
      "GET",
      `/api/checks/${check.id}/results?detail=true&limit=1`,
    );
    return results.find((result) => Date.parse(result.startedAt) >= sinceMs);
  });
}

test("checks are generated from a spec, and an agent judges by its newest document, also after a restart", async () => {
  const controlPlane = await stack.controlPlane();
  const { locationId, runnerKey } = await createLocation(controlPlane, "conformance");
  const agent = { key: runnerKey, port: controlPlane.runnerPort, dataDir: stack.folder() };
  const first = stack.runner(agent);

  const { spec } = await controlPlane.ok<{ spec: Spec }>("POST", "/api/specs", {
    sourceType: "upload",
    content: aDocument("text/plain"),
  });
  const startMs = Date.now() - 1_000;
  const { created } = await controlPlane.ok<GeneratedChecks>("POST", "/api/checks/generate", {
    spec: { source: "id", specId: spec.id },
    locations: [locationId],
    frequencySeconds: 10,
  });
  const [check] = created;
  if (!check) throw new Error("no check was generated");
  expect(check.name).toBe("GET /things");
  expect((await resultSince(controlPlane, check, startMs)).status).toBe("success");

  await controlPlane.ok("PUT", `/api/specs/${spec.id}`, { content: aDocument("application/json") });
  const failed = await until("a run is judged by the new document", async () => {
    const sinceMs = Date.now();
    await controlPlane.ok("POST", `/api/checks/${check.id}/trigger`);
    const result = await resultSince(controlPlane, check, sinceMs);
    return result.status === "failure" ? result : undefined;
  });
  expect(JSON.stringify(failed)).toContain("content type text/plain is not described");

  // The document is on the agent's disk: it judges by it although nobody could send it again.
  await first.kill9();
  await controlPlane.process.kill9();
  const againMs = Date.now();
  const hitsBefore = stack.target.hits.get("/things") ?? 0;
  stack.runner(agent);
  await until("the agent runs the check by itself", () => {
    return (stack.target.hits.get("/things") ?? 0) > hitsBefore;
  });
  await controlPlane.restart();
  const later = await resultSince(controlPlane, check, againMs);
  expect(later.status).toBe("failure");
});
