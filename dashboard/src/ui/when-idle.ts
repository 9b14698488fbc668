/** Work that can wait until the page has nothing better to do. */

/** Longest wait, ms. */
const WAIT_MS = 1_000;

/** Calls `act` once the page is idle, after a second at the latest. Returns a function that calls it off. */
export function whenIdle(act: () => void): () => void {
  if (typeof requestIdleCallback !== "function") {
    const timer = setTimeout(act, 1);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(act, { timeout: WAIT_MS });
  return () => cancelIdleCallback(handle);
}
