/**
 * `svc monitors analyze` with the real control plane, its evidence measured by a real agent, its words by a stand-in
 * model.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../harness/wait.ts";
import { type CliStage, setCliStage } from "./stage.ts";

let stage: CliStage;
let model: Server;
const asked: { path: string; authorization: string | undefined; body: string }[] = [];
beforeAll(async () => {
  model = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    asked.push({ path: request.url ?? "", authorization: request.headers.authorization, body });
    const claims = [{ text: "The shop\u001b refuses connections.", factIds: [1] }];
    const message = { role: "assistant", content: JSON.stringify({ claims }) };
    response.setHeader("content-type", "application/json").end(JSON.stringify({ choices: [{ message }] }));
  });
  await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
  stage = await setCliStage({
    SVC_EMBEDDED_RUNNER: "true",
    SVC_ANALYSIS_LLM_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
    SVC_ANALYSIS_LLM_MODEL: "stand-in",
    SVC_ANALYSIS_LLM_KEY: "llm-key",
  });
  const url = "http://me:hunter2@127.0.0.1:9/?token=s3cr3t";
  const where = ["--url", url, "--locations", "loc_us_east", "--frequency", "10s"];
  await stage.json(["monitors", "create", "--name", "Shop", "--type", "http", ...where]);
  await until("the monitor has failed", async () => {
    const { data } = await stage.json(["results", "list", "Shop", "--status", "error"]);
    return data.results.length > 0;
  });
});
afterAll(async () => {
  await stage?.strike();
  model?.close();
  model?.closeAllConnections();
});

test("the insight is the rules', its words the model's, which gets no credential; too soon again is exit code 3", async () => {
  const first = await stage.json(["monitors", "analyze", "shop"]);
  expect(first).toMatchObject({
    code: 0,
    ok: true,
    data: {
      insight: {
        type: "target_down",
        severity: "critical",
        model: "stand-in",
        summary: "The shop refuses connections.",
        claims: [{ text: "The shop refuses connections.", facts: [0] }],
        generatedAt: expect.any(String),
      },
      deepAnalysisCount: 1,
      deepAnalysisLimit: 5,
      stale: expect.any(Boolean),
    },
  });
  expect(asked).toMatchObject([{ path: "/v1/chat/completions", authorization: "Bearer llm-key" }]);
  expect(asked[0]?.body).toContain("connection refused");
  expect(asked[0]?.body).not.toMatch(/hunter2|s3cr3t/);

  const again = await stage.json(["monitors", "analyze", "Shop"]);
  expect(again).toMatchObject({
    code: 3,
    ok: false,
    error: { code: "plan_limit", details: { httpStatus: 429, exitCode: 3 } },
  });
  expect(again.error.details.retryAfterSeconds).toBeLessThanOrEqual(300);
  const read = await stage.run(["monitors", "analyze", "Shop"]);
  expect([read.code, read.stdout, read.stderr]).toEqual([
    3,
    "",
    expect.stringMatching(/\nTry again in \d+ (min|s)\n$/),
  ]);
  expect(asked).toHaveLength(1);
});
