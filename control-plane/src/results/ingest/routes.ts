/** Delivery of results over REST; ingest treats them like those of streams. */
import { DomainError, runnerResultRoutes } from "@svc/contract";
import type { FleetState } from "../../fleet/fleet-state.ts";
import type { ApiApp } from "../../platform/http/api.ts";
import type { RunnerCaller } from "../../platform/http/caller.ts";
import { serve } from "../../platform/http/serve.ts";
import type { Ingester } from "./ingester.ts";
import type { IngestSource } from "./judge.ts";
import { columnsFromResults } from "./rest-results.ts";

/** Longest wait of a request for its commit. Results are keyed by their slot, so sending them again is harmless. */
const COMMIT_TIMEOUT_MS = 10_000;

/** The parts of the running fleet that the routes need. */
export interface ResultIntake {
  ingester: Pick<Ingester, "submit">;
  state: FleetState;
  /** Reads checks and locations from the database that this replica does not know yet. */
  refreshFleet: () => Promise<void>;
}

/** Registers the delivery of results. An answer comes after the commit. */
export function registerRunnerResultRoutes(app: ApiApp, intake: ResultIntake): void {
  serve(app, runnerResultRoutes.deliver, async ({ runnerCaller, body }) => {
    const { state, ingester } = intake;
    const hasUnknown = body.results.some(
      ({ checkId, locationId }) => !state.checkById(checkId) || state.locationKeyOf(locationId) === undefined,
    );
    if (hasUnknown) await intake.refreshFleet();
    const { batch, indexes, rejections } = columnsFromResults(body.results, state);
    const outcome = await withinCommitTime(ingester.submit(batch, sourceOf(runnerCaller)));
    return {
      accepted: outcome.stored,
      duplicates: outcome.duplicates,
      rejected: [
        ...rejections,
        ...outcome.rejections.map(({ index, reason }) => ({ index: indexes[index] ?? index, reason })),
      ].sort((a, b) => a.index - b.index),
    };
  });
}

function sourceOf(caller: RunnerCaller): IngestSource {
  if (caller.kind === "dispatch_token") {
    const { checkKey, locationKey, slotMs } = caller;
    return { runnerKey: 0, locationKeys: new Set([locationKey]), onlyRun: { checkKey, locationKey, slotMs } };
  }
  return { runnerKey: 0, locationKeys: caller.locationKey === null ? null : new Set([caller.locationKey]) };
}

/** @throws DomainError `unavailable` when the database does not commit in time */
async function withinCommitTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new DomainError("unavailable", "the results could not be stored in time; send them again", {
            retryAfterSeconds: 5,
          }),
        ),
      COMMIT_TIMEOUT_MS,
    );
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
