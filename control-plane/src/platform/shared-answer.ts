import { monotonicMs } from "./clock.ts";

/**
 * Returns a function that asks at most once in a time, however often it is called: callers share the answer, also while
 * it is on its way.
 * @param holdsMs time for which an answer holds, from its question on
 * @param clockMs monotonic clock, ms; default the process's
 */
export function sharedAnswer<Answer>(
  holdsMs: number,
  ask: () => Promise<Answer>,
  clockMs = monotonicMs,
): () => Promise<Answer> {
  let answer: Promise<Answer> | undefined;
  let askedAtMs = 0;
  let isOnItsWay = false;
  return () => {
    if (!answer || (!isOnItsWay && clockMs() - askedAtMs >= holdsMs)) {
      askedAtMs = clockMs();
      isOnItsWay = true;
      answer = ask().finally(() => {
        isOnItsWay = false;
      });
    }
    return answer;
  };
}
