/**
 * Starts a one-shot timer, the form of timer that the agent's parts are given.
 * @returns a function that cancels the timer
 */
export function setTimer(callback: () => void, delayMs: number): () => void {
  const handle = setTimeout(callback, delayMs);
  return () => clearTimeout(handle);
}
