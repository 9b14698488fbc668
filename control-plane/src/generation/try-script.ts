/** Tries scripts of browser checks as test runs, within limits of their traffic, and waits for what comes of it. */
import { createTestRunSchema, type LocationId, parseInput, type TestRun } from "@svc/contract";
import { createTestRun } from "../gateway/test-runs/create-test-run.ts";
import type { ConnectedRunners } from "../gateway/test-runs/find-runner.ts";
import { getTestRun } from "../gateway/test-runs/get-test-run.ts";
import type { TestRunLimits } from "../gateway/test-runs/store.ts";
import type { TeamContext } from "../platform/team-context.ts";

/** Type of the checks whose scripts are generated. */
export const SCRIPTED_TYPE = "browser";
/** How often the test run is looked at, ms. */
const LOOK_INTERVAL_MS = 250;

/** Whatever a try needs of its surroundings. */
export interface TryParts {
  state: ConnectedRunners;
  /** Waits; rejects when the signal aborts. */
  sleep: (durationMs: number, signal: AbortSignal) => Promise<void>;
  signal: AbortSignal;
}

/** A script to try, and the limits of its try. */
export interface TriedScript {
  script: string;
  locationId: LocationId;
  limits: TestRunLimits;
  /** Longest run, ms; at least 5000. */
  timeoutMs: number;
}

/** A test run that has ended at its one location. */
export interface EndedTry extends Pick<TestRun["locations"][number], "problem" | "result" | "screenshots"> {
  testRunId: TestRun["id"];
}

/**
 * Runs a script once and returns how that ended.
 * @throws DomainError as `createTestRun`; the signal's reason when it aborts first
 */
export async function tryScript(ctx: TeamContext, tried: TriedScript, parts: TryParts): Promise<EndedTry> {
  const parsed = parseInput(createTestRunSchema, {
    type: SCRIPTED_TYPE,
    locations: [tried.locationId],
    browserConfig: { browserMode: "scripted", script: tried.script, timeoutMs: tried.timeoutMs },
  });
  if (!parsed.success) throw new Error("a script's test run is not valid");
  const { id } = await createTestRun(ctx, { input: parsed.value, state: parts.state, limits: tried.limits });
  for (;;) {
    const { locations } = await getTestRun(ctx, { id });
    const [run] = locations;
    if (run && (run.phase === "done" || run.phase === "failed"))
      return { testRunId: id, problem: run.problem, result: run.result, screenshots: run.screenshots };
    await parts.sleep(LOOK_INTERVAL_MS, parts.signal);
  }
}
