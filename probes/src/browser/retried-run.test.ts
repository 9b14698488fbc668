import type { ErrorCategory, Retry } from "@svc/contract";
import { describe, expect, it } from "vitest";
import { aContext, expectFault, expectResult } from "../../test-support/builders.ts";
import type { NewArtifact } from "../run/artifacts.ts";
import type { ProbeOutcome, RunFault, RunResult } from "../run/outcome.ts";
import type { ProbeContext, ProbeRequest } from "../run/probe.ts";
import { runRetried } from "./retried-run.ts";

const RETRY: Retry = {
  strategy: "fixed",
  maxRetries: 2,
  baseBackoffSeconds: 5,
  maxDurationSeconds: 600,
  sameLocation: true,
};
const ONLY_NETWORK: Retry = { ...RETRY, onlyOn: "network_error" };

function aBrowserRequest(retry: Retry | null, browserMode: "url" | "scripted" = "url"): ProbeRequest {
  const config = { browserMode };
  return { checkId: "chk_1", type: "browser", config, retry, slotMs: 0, frequencySeconds: 60 };
}

function aResult(status: RunResult["status"], errorCategory?: ErrorCategory): RunResult {
  const detail = { ...(errorCategory ? { errorCategory, errorMessage: "it went wrong" } : {}) };
  return { kind: "result", status, startedAtMs: 1_000, responseTimeUs: 7, elapsedUs: 9, phases: {}, detail };
}

const crash: RunFault = { kind: "fault", reason: "crash", message: "the browser broke down" };

/** Runs attempts that come to these outcomes, and counts them; pauses take no time. */
async function run(
  request: ProbeRequest,
  outcomes: readonly ProbeOutcome[],
  context?: Partial<ProbeContext>,
) {
  const pausesMs: number[] = [];
  let attempts = 0;
  const sleep = async (durationMs: number) => {
    pausesMs.push(durationMs);
  };
  const outcome = await runRetried(request, aContext({ sleep, ...context }), async () => {
    return outcomes[attempts++] as ProbeOutcome;
  });
  return { outcome, attempts, pausesMs };
}

describe("runRetried", () => {
  it("without a policy a run has one attempt, whatever it came to", async () => {
    const failed = aResult("failure", "assertion");
    expect(await run(aBrowserRequest(null), [failed])).toEqual({
      outcome: failed,
      attempts: 1,
      pausesMs: [],
    });
  });

  it("a failed attempt is followed by another after the pause, and the last one is the result", async () => {
    const { outcome, pausesMs } = await run(aBrowserRequest(RETRY), [
      aResult("failure", "http"),
      aResult("success"),
    ]);
    expect(pausesMs).toEqual([5_000]);
    expect(expectResult(outcome)).toMatchObject({
      status: "success",
      detail: {
        recoveredOnRetry: true,
        attempts: [
          { status: "failure", errorCategory: "http", errorMessage: "it went wrong" },
          { status: "success" },
        ],
      },
    });
  });

  it("attempts end with the policy's number", async () => {
    const failed = aResult("error", "connect");
    const { outcome, attempts } = await run(aBrowserRequest(RETRY), [failed, failed, failed, failed]);
    expect(attempts).toBe(3);
    expect(expectResult(outcome).detail).toMatchObject({ errorCategory: "connect", recoveredOnRetry: false });
  });

  it.each<[ErrorCategory, "url" | "scripted", number]>([
    ["dns", "url", 2],
    ["connect", "scripted", 2],
    ["tls", "url", 2],
    ["timeout", "url", 2],
    ["timeout", "scripted", 1],
    ["http", "url", 1],
    ["script", "scripted", 1],
    ["assertion", "scripted", 1],
  ])("onlyOn network_error: %s in %s mode makes %i attempts", async (category, mode, expected) => {
    const request = aBrowserRequest(ONLY_NETWORK, mode);
    const { attempts } = await run(request, [aResult("error", category), aResult("success")]);
    expect(attempts).toBe(expected);
  });

  it("a fault of this runner in a later attempt gives the slot back", async () => {
    const { outcome } = await run(aBrowserRequest(RETRY), [aResult("failure", "http"), crash]);
    expect(expectFault(outcome)).toEqual(crash);
  });

  it("an agent that stops during the pause gives the slot back as aborted", async () => {
    const sleep = () => Promise.reject(new Error("stopping"));
    const { outcome } = await run(aBrowserRequest(RETRY), [aResult("failure", "http")], { sleep });
    expect(expectFault(outcome).reason).toBe("draining");
  });

  it("only the last attempt's pictures are handed over, and those that find no space are not named but noted", async () => {
    const kept: string[] = [];
    const artifacts = {
      keep: async ({ sha256 }: NewArtifact) => {
        if (sha256 === "no-space") return false;
        kept.push(sha256);
        return true;
      },
    };
    const names = [["first"], ["second", "no-space"]];
    const outcome = await runRetried(
      aBrowserRequest(RETRY),
      aContext({ artifacts, sleep: async () => {} }),
      async (context) => {
        const hashes = names.shift() as string[];
        const screenshots = hashes.map((sha256) => ({
          sha256,
          step: null,
          contentType: "image/jpeg" as const,
          bytes: 1,
          takenAt: "2026-01-01T00:00:00.000Z",
        }));
        for (const sha256 of hashes)
          await context.artifacts?.keep({
            sha256,
            contentType: "image/jpeg",
            content: Buffer.from("x"),
            checkId: "chk_1",
            slotMs: 0,
          });
        const result = names.length > 0 ? aResult("failure", "http") : aResult("success");
        return { ...result, detail: { ...result.detail, screenshotsJson: screenshots } };
      },
    );
    expect(kept).toEqual(["second"]);
    const { detail } = expectResult(outcome);
    expect(detail?.screenshotsJson?.map(({ sha256 }) => sha256)).toEqual(["second"]);
    expect(detail?.notes).toEqual(["1 picture or video was left out: the runner's folder for them was full"]);
  });
});
