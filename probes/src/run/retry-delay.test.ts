import type { Retry } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { aContext, aRequest, expectFault, expectResult } from "../../test-support/builders.ts";
import { httpServer } from "../../test-support/servers.ts";
import { runProbe } from "../registry.ts";
import { type RetryInput, retryDelayMs } from "./retry-delay.ts";

function aRetry(retry: Partial<Retry> = {}): Retry {
  return {
    strategy: "fixed",
    maxRetries: 3,
    baseBackoffSeconds: 2,
    maxDurationSeconds: 600,
    sameLocation: true,
    ...retry,
  };
}

const failed = { status: "error", isNetworkError: true } as const;
const unmet = { status: "failure", isNetworkError: false } as const;

describe("retryDelayMs", () => {
  it.each<[string, number | undefined, Retry | null, RetryInput["last"], number, number]>([
    ["without a policy", undefined, null, failed, 1, 0],
    ["after a success", undefined, aRetry(), { status: "success", isNetworkError: false }, 1, 0],
    ["fixed, first", 2_000, aRetry(), failed, 1, 0],
    ["fixed, third", 2_000, aRetry(), failed, 3, 0],
    ["linear, third", 6_000, aRetry({ strategy: "linear" }), failed, 3, 0],
    ["exponential, third", 8_000, aRetry({ strategy: "exponential" }), failed, 3, 0],
    ["retries used up", undefined, aRetry(), failed, 4, 0],
    ["no retries allowed", undefined, aRetry({ maxRetries: 0 }), failed, 1, 0],
    ["no backoff", 0, aRetry({ baseBackoffSeconds: 0 }), failed, 1, 0],
    ["ends exactly at the limit", 2_000, aRetry({ maxDurationSeconds: 10 }), failed, 1, 8_000],
    ["would end after the limit", undefined, aRetry({ maxDurationSeconds: 10 }), failed, 1, 8_001],
    ["assertion failure", 2_000, aRetry(), unmet, 1, 0],
    ["assertion failure, network errors only", undefined, aRetry({ onlyOn: "network_error" }), unmet, 1, 0],
    ["network error, network errors only", 2_000, aRetry({ onlyOn: "network_error" }), failed, 1, 0],
  ])("%s: %s", (_, delayMs, retry, last, attemptsMade, elapsedMs) => {
    expect(retryDelayMs(retry, { last, attemptsMade, elapsedMs })).toBe(delayMs);
  });
});

describe("a retried run", () => {
  /** Answers with these status codes in turn. */
  const flaky = (...codes: number[]) =>
    httpServer((_, response) => response.writeHead(codes.shift() ?? 500).end());
  const run = async (url: string, retry: Retry, slept: number[]) =>
    expectResult(
      await runProbe(
        aRequest({ url, assertions: [{ type: "status_code", value: 200 }] }, { retry }),
        aContext({ sleep: async (durationMs) => void slept.push(durationMs) }),
      ),
    );

  it("that recovers is a success which says so and keeps its attempts", async () => {
    const slept: number[] = [];
    const result = await run(await flaky(503, 502, 200), aRetry({ strategy: "exponential" }), slept);
    expect(result).toMatchObject({
      status: "success",
      httpStatusCode: 200,
      detail: { recoveredOnRetry: true },
    });
    expect(result.detail?.attempts).toMatchObject([
      { status: "failure", httpStatusCode: 503, errorCategory: "assertion" },
      { status: "failure", httpStatusCode: 502 },
      { status: "success", httpStatusCode: 200 },
    ]);
    expect(slept).toEqual([2_000, 4_000]);
  });

  it("that never recovers reports the last attempt", async () => {
    const slept: number[] = [];
    const result = await run(await flaky(503, 502), aRetry({ maxRetries: 1 }), slept);
    expect(result).toMatchObject({
      status: "failure",
      httpStatusCode: 502,
      detail: { recoveredOnRetry: false },
    });
    expect(result.detail?.attempts).toHaveLength(2);
  });

  it("has no attempts in its detail when the first one succeeded", async () => {
    expect((await run(await flaky(200), aRetry(), [])).detail).toBeUndefined();
  });

  it("stops waiting when the runner stops", async () => {
    const controller = new AbortController();
    const url = await httpServer((_, response) => {
      response.writeHead(500).end();
      setImmediate(() => controller.abort());
    });
    const request = aRequest({ url, assertions: [{ type: "status_code", value: 200 }] }, { retry: aRetry() });
    const outcome = await runProbe(request, aContext({ signal: controller.signal }));
    expect(expectFault(outcome).reason).toBe("draining");
  });
});
