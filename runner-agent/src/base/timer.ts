/**
 * Starts a one-shot timer, in the form in which the agent's parts take one.
 * @returns a function that cancels the timer
 */
export function setTimer(callback: () => void, delayMs: number): () => void {
  const handle = setTimeout(callback, delayMs);
  return () => clearTimeout(handle);
}
