/** Waiting for a condition instead of for a duration. */
import { setTimeout as delay } from "node:timers/promises";

/**
 * Asks `condition` every `everyMs` until it answers something truthy, and returns that. An error it throws counts as
 * "not yet" and is shown when the time is over.
 * @throws Error naming `what` after `withinMs`
 */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  { withinMs = 90_000, everyMs = 50 }: { withinMs?: number; everyMs?: number } = {},
): Promise<NonNullable<T>> {
  const endAt = performance.now() + withinMs;
  let lastError: unknown;
  do {
    try {
      const answer = await condition();
      if (answer) return answer as NonNullable<T>;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    await delay(everyMs);
  } while (performance.now() < endAt);
  throw new Error(`not within ${withinMs} ms: ${what}`, { cause: lastError });
}
