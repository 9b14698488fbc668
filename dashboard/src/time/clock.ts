/** The present by the service's clock: the reader's own may be wrong. */

let offsetMs = 0;

/** Notes the present of the service. @param at ISO 8601 */
export function noteServiceTime(at: string): void {
  offsetMs = Date.parse(at) - Date.now();
}

/** Returns the service's time at an instant of the reader's clock. Both Unix ms. */
export function serviceTimeMs(readerMs: number): number {
  return readerMs + offsetMs;
}

/** Returns the present, Unix ms, by the service's clock once it is known. */
export function presentMs(): number {
  return Date.now() + offsetMs;
}
