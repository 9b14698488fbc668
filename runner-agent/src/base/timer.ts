/** One-shot timer as the agent's parts take it. @returns a function that cancels it */
export function setTimer(callback: () => void, delayMs: number): () => void {
  const handle = setTimeout(callback, delayMs);
  return () => clearTimeout(handle);
}
