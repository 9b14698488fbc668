/** --wait: the first result of every new check. */
import { setTimeout as sleepMs } from "node:timers/promises";
import { type ApiClient, ApiError, type Check } from "@svc/contract";
import { inTurns } from "./apply-plan.ts";

/** For all of them together. */
export const WAIT_MS_MAX = 180_000;
const POLL_MS = 1_000;
/** Between two questions on average: half of what the service allows a key by default (100 a second). */
const QUESTION_MS_MIN = 20;

export interface FirstResult {
  name: string;
  checkId: string;
  /** null: none came in time. */
  status: string | null;
}

/** @param nowMs for the limit; a monotonic clock will do */
export async function waitForFirstResults(
  checks: readonly Check[],
  {
    api,
    signal,
    nowMs = () => performance.now(),
    pollMs = POLL_MS,
    onProgress,
  }: {
    api: ApiClient;
    signal: AbortSignal;
    nowMs?: () => number;
    pollMs?: number;
    onProgress?(waiting: number): void;
  },
): Promise<FirstResult[]> {
  const found = new Map<string, string>();
  const endAt = nowMs() + WAIT_MS_MAX;
  // A check that is switched off has no first result to wait for.
  const expected = checks.filter(({ enabled }) => enabled);
  for (;;) {
    const waiting = expected.filter(({ id }) => !found.has(id));
    const leftMs = endAt - nowMs();
    if (waiting.length === 0 || leftMs <= 0) break;
    onProgress?.(waiting.length);
    await inTurns(waiting, async ({ id }) => {
      signal.throwIfAborted();
      const status = await firstStatus(api, id);
      if (status !== undefined) found.set(id, status);
    });
    const { length: open } = expected.filter(({ id }) => !found.has(id));
    const pauseMs = Math.min(Math.max(pollMs, open * QUESTION_MS_MIN), leftMs);
    if (open > 0) await sleepMs(pauseMs, undefined, { signal });
  }
  return expected.map(({ id, name }) => ({ name, checkId: id, status: found.get(id) ?? null }));
}

/** Undefined: none yet, or nobody could say; the next question may be answered. @throws what no waiting mends */
async function firstStatus(api: ApiClient, checkId: string): Promise<string | undefined> {
  try {
    const { results } = await api.listResults(checkId, { limit: 1 });
    return results[0]?.status;
  } catch (error) {
    const isAnswer = error instanceof ApiError && error.status < 500 && error.status !== 429;
    const isInterruption = error instanceof Error && error.name === "AbortError";
    if (isAnswer || isInterruption) throw error;
    return undefined;
  }
}
