/** Waits for the first result of every new check (`deploy --wait`). */
import { setTimeout as sleepMs } from "node:timers/promises";
import { type ApiClient, type Check, pushedTraitsOf } from "@svc/contract";
import { inTurns } from "../runtime/in-turns.ts";
import { mayReadAgain } from "../runtime/may-retry.ts";

/** Longest wait, for all checks together. */
export const WAIT_MS_MAX = 180_000;
const POLL_MS = 1_000;
/** Smallest average time between two requests: half of the rate that the service allows a key by default (100 a second). */
const REQUEST_INTERVAL_MS_MIN = 20;

/** More results than a new check has in the time that is waited. */
const RESULTS_READ = 200;

/** A new check and what its first result was. */
export interface FirstResult {
  name: string;
  checkId: string;
  /** Status of the result; null when none came in time. */
  status: string | null;
}

/** The service to poll, and how often. `pollMs` is in ms. */
export interface WaitOptions {
  api: Pick<ApiClient, "listResults">;
  signal: AbortSignal;
  /** Monotonic clock, ms. */
  monotonicMs: () => number;
  /** Shortest pause between two rounds. */
  pollMs?: number;
  onProgress?(waiting: number): void;
}

/**
 * Waits until every enabled check that is probed has a result, at most {@link WAIT_MS_MAX}.
 * @throws the signal's reason, and errors that waiting doesn't mend (a revoked key)
 */
export async function waitForFirstResults(
  checks: readonly Check[],
  { api, signal, monotonicMs, pollMs = POLL_MS, onProgress }: WaitOptions,
): Promise<FirstResult[]> {
  const found = new Map<string, string>();
  const endsAtMs = monotonicMs() + WAIT_MS_MAX;
  // A disabled check never has a result, and one that reports by itself has one when its job has run.
  const expected = checks.filter(({ enabled, type }) => enabled && pushedTraitsOf(type) === undefined);
  for (;;) {
    const waiting = expected.filter(({ id }) => !found.has(id));
    const leftMs = endsAtMs - monotonicMs();
    if (waiting.length === 0 || leftMs <= 0) break;
    onProgress?.(waiting.length);
    await inTurns(waiting, async ({ id }) => {
      signal.throwIfAborted();
      const status = await firstStatus(api, id);
      if (status !== undefined) found.set(id, status);
    });
    const { length: open } = expected.filter(({ id }) => !found.has(id));
    const pauseMs = Math.min(Math.max(pollMs, open * REQUEST_INTERVAL_MS_MIN), leftMs);
    if (open > 0) await sleepMs(pauseMs, undefined, { signal });
  }
  return expected.map(({ id, name }) => ({ name, checkId: id, status: found.get(id) ?? null }));
}

/** Returns undefined while there is no result, and when the service could not be asked just now. */
async function firstStatus(api: WaitOptions["api"], checkId: string): Promise<string | undefined> {
  try {
    // Newest first: the first result is the last one, also when the second has come since the last look.
    const { results } = await api.listResults(checkId, { limit: RESULTS_READ });
    return results.at(-1)?.status;
  } catch (error) {
    if (!mayReadAgain(error, "first_results")) throw error;
    return undefined;
  }
}
