import { notFound, type TestRun, type TestRunId } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { readTestRun, type TestRunRow } from "./store.ts";
import { BEGIN_WITHIN_MS, RUN_MAX_MS } from "./timing.ts";

/**
 * Returns a test run with how it goes at each location.
 * @throws DomainError `not_found`, also once it has expired
 */
export async function getTestRun(
  { services, teamId }: TeamContext,
  { id }: { id: TestRunId },
): Promise<TestRun> {
  const nowMs = services.clock.nowMs();
  const rows = await readTestRun(services.knex, { teamId, id, nowMs });
  const [first] = rows;
  if (!first) throw notFound("Test run");
  return {
    id: first.id,
    type: first.type,
    createdAt: first.createdAt,
    expiresAt: first.expiresAt,
    locations: rows.map((row, at) => ({
      locationId: row.locationId,
      runnerId: row.runnerId,
      ...standingOf(row, nowMs),
      screenshots: row.pictureSteps.map((step, position) => ({
        step: step || null,
        path: `/api/test-runs/${first.id}/screenshots/${at}-${position}`,
      })),
    })),
  };
}

/** Returns the phase of a test run at a location; one that should have moved on by now has failed. */
function standingOf(
  { phase, wasSent, isRunnerAlive, beginByMs, problem, result }: TestRunRow,
  nowMs: number,
): Pick<TestRun["locations"][number], "phase" | "problem" | "result"> {
  const isOpen = phase === "ordered" || phase === "running";
  const failed = (why: string) => ({ phase: "failed" as const, problem: why, result: null });
  if (isOpen && !wasSent && nowMs > beginByMs)
    return failed(`No runner took it within ${BEGIN_WITHIN_MS / 1000} s.`);
  if (isOpen && wasSent && !isRunnerAlive) return failed("The runner was lost while it ran it.");
  if (isOpen && nowMs > beginByMs + RUN_MAX_MS) return failed("The runner has not answered.");
  return { phase, problem, result };
}
