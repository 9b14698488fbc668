/** --wait: the first result of every new check. */
import { setTimeout as sleepMs } from "node:timers/promises";
import type { ApiClient, Check } from "@svc/contract";
import { inTurns } from "./apply.ts";

/** For all of them together. */
export const WAIT_MS_MAX = 180_000;
const POLL_MS = 1_000;

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
    if (waiting.length === 0 || nowMs() >= endAt) break;
    onProgress?.(waiting.length);
    await inTurns(waiting, async ({ id }) => {
      const { results } = await api.listResults(id, { limit: 1 });
      if (results[0]) found.set(id, results[0].status);
    });
    if (expected.some(({ id }) => !found.has(id))) await sleepMs(pollMs, undefined, { signal });
  }
  return expected.map(({ id, name }) => ({ name, checkId: id, status: found.get(id) ?? null }));
}
