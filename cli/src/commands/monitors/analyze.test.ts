import { expect, it } from "vitest";
import { fakeService, runSvc } from "../../../test-support/run-svc.ts";

const analysis = {
  insight: {
    type: "target_down",
    severity: "critical",
    confidence: 0.85,
    summary: "shop.example is down: it accepts no connections from loc_a.",
    evidence: ["loc_a: 3 failing results in a row"],
    model: "rules",
    generatedAt: "2026-06-01T12:00:00.000Z",
  },
  stale: true,
  deepAnalysisCount: 2,
  deepAnalysisLimit: 5,
};
const run = async (
  answer: { status: number; body: unknown; headers?: Record<string, string> },
  ...flags: string[]
) => {
  const { fetch } = fakeService({ "GET /api/checks": { checks: [{ id: "chk_1", name: "Shop" }] } });
  return runSvc(["monitors", "analyze", "shop", ...flags], {
    env: { SVC_API_KEY: "sk_x" },
    fetch: async (input, init) =>
      new URL(String(input)).pathname === "/api/checks/chk_1/analyze" && init?.method === "POST"
        ? Response.json(answer.body, { status: answer.status, headers: answer.headers ?? {} })
        : fetch(input, init),
  });
};

it("shows class, severity, confidence, summary, model, time and usage; --json has the service's answer", async () => {
  const text = await run({ status: 200, body: analysis });
  expect(text.code).toBe(0);
  expect(text.stdout).toContain("target down  Shop, critical, 85 % sure");
  expect(text.stdout).toContain(analysis.insight.summary);
  expect(text.stdout).toMatch(/Worded by:\s+rules\nGenerated:\s+now\nUsage:\s+2 of 5 analyses/);
  expect(text.stderr).toContain("newer results");
  expect((await run({ status: 200, body: analysis }, "--json")).json()).toEqual({ ok: true, data: analysis });
});

it("each claim of a model names its facts by number", async () => {
  const insight = {
    ...analysis.insight,
    summary: "The shop refuses connections. Look at its server first.",
    claims: [
      { text: "The shop refuses connections.", facts: [0, 1] },
      { text: "Look at its server first.", facts: [1] },
    ],
    evidence: ["loc_a: 3 failing results in a row", "by the rules: shop.example is down"],
    model: "wordy",
  };
  const { stdout } = await run({ status: 200, body: { ...analysis, insight } });
  expect(stdout).toContain(
    [
      "The shop refuses connections. [1][2]",
      "Look at its server first. [2]",
      "  [1] loc_a: 3 failing results in a row",
      "  [2] by the rules: shop.example is down",
    ].join("\n"),
  );
});

it("rate-limited it exits 3 and says when it may be tried again", async () => {
  const answer = {
    status: 429,
    body: { error: "less than 5 minutes ago" },
    headers: { "retry-after": "240" },
  };
  const json = await run(answer, "--json");
  expect(json.code).toBe(3);
  expect(json.json().error).toEqual({
    code: "plan_limit",
    message: "less than 5 minutes ago",
    details: { httpStatus: 429, retryAfterSeconds: 240, exitCode: 3 },
  });
  expect((await run(answer)).stderr).toContain("Try again in 4 min");
});

it("other errors keep their exit codes", async () => {
  expect((await run({ status: 500, body: { error: "Internal error" } })).code).toBe(1);
  expect((await run({ status: 401, body: { error: "Invalid" } })).code).toBe(2);
});
