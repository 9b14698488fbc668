/** Work that can wait until the page has nothing better to do. */

/** Longest wait, ms. */
const WAIT_MS = 1_000;

/** Calls `act` once the page is idle, after a second at the latest. Returns a function that calls it off. */
function whenIdle(act: () => void): () => void {
  if (typeof requestIdleCallback !== "function") {
    const timer = setTimeout(act, 1);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(act, { timeout: WAIT_MS });
  return () => cancelIdleCallback(handle);
}

/** Time without a key or a click after which nobody is at work in the page, ms. */
const QUIET_MS = 500;

/**
 * Calls `act` once the page is idle and has seen no key and no click for half a second: for work that would hold up a person
 * who writes. Returns a function that calls it off.
 */
export function whenQuiet(act: () => void): () => void {
  const listening = new AbortController();
  let cancel = () => {};
  const wait = () => {
    cancel();
    const timer = setTimeout(() => {
      listening.abort();
      cancel = whenIdle(act);
    }, QUIET_MS);
    cancel = () => clearTimeout(timer);
  };
  for (const event of ["keydown", "pointerdown"])
    addEventListener(event, wait, { capture: true, passive: true, signal: listening.signal });
  wait();
  return () => {
    listening.abort();
    cancel();
  };
}
