import { browserConfigSchema } from "@svc/contract";
import { createEgress } from "@svc/egress";
import { describe, expect, it } from "vitest";
import { aContext } from "../../test-support/builders.ts";
import { RunTraffic } from "./egress-proxy/run-traffic.ts";
import type { StepMessage } from "./process/watched-run.ts";
import { judgeSteps } from "./step-assertions.ts";

function aStep(
  name: string,
  message: { status?: "success" | "failure"; httpStatusCode?: number; body?: string } = {},
): StepMessage {
  const { status = "success", httpStatusCode = 200, body = "Welcome" } = message;
  return {
    type: "step",
    runId: 1,
    order: 0,
    bytes: 0,
    step: { name, status, durationMs: 120, startedAt: "2026-01-01T00:00:00.000Z" },
    document: {
      url: "http://shop.test/",
      method: "GET",
      httpStatusCode,
      headers: ["content-type", "text/html"],
      certificate: null,
    },
    body: Buffer.from(body),
  };
}

function judge(assertions: Record<string, unknown>[], steps: readonly StepMessage[]) {
  const config = browserConfigSchema.parse({
    browserMode: "scripted",
    script: "// @step: Open",
    steps: [{ name: "Open", assertions }],
  });
  const traffic = new RunTraffic(createEgress({ allowPrivate: true }));
  return judgeSteps(config, { steps: [...steps], traffic }, aContext());
}

describe("judgeSteps", () => {
  it.each<[string, Record<string, unknown>, Parameters<typeof aStep>[1], string | undefined]>([
    ["the status that is asked for", { type: "status_code", value: 200 }, {}, undefined],
    ["another status", { type: "status_code", value: 201 }, {}, "status_code: expected status 201, got 200"],
    ["text that is there", { type: "body_contains", value: "Welcome" }, {}, undefined],
    [
      "text that is not there",
      { type: "body_contains", value: "Bye" },
      {},
      expect.stringContaining("body_contains: ") as string,
    ],
    ["as slow as it may be", { type: "response_time", max: 120 }, {}, undefined],
    [
      "slower than it may be",
      { type: "response_time", max: 119 },
      {},
      expect.stringContaining("response_time: ") as string,
    ],
  ])("%s", async (_, assertion, message, broken) => {
    const judged = await judge([assertion], [aStep("Open", message)]);
    expect(judged.broken.get(0)).toEqual(broken);
    expect(judged.assertions).toHaveLength(1);
  });

  it("the first assertion that does not hold says why, and all are reported", async () => {
    const assertions = [
      { type: "status_code", value: 200 },
      { type: "status_code", value: 404 },
      { type: "body_contains", value: "Bye" },
    ];
    const judged = await judge(assertions, [aStep("Before"), aStep("Open")]);
    expect(judged.assertions.map(({ passed }) => passed)).toEqual([true, false, false]);
    expect([...judged.broken.keys()]).toEqual([1]);
    expect(judged.broken.get(1)).toContain("expected status 404");
  });

  it("a step that failed by itself is not judged again, nor is one without assertions", async () => {
    const assertions = [{ type: "status_code", value: 404 }];
    const judged = await judge(assertions, [aStep("Open", { status: "failure" }), aStep("Other")]);
    expect(judged).toEqual({ assertions: [], broken: new Map() });
  });
});
