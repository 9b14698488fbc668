/** The present by the service's clock: the reader's own may be wrong. */

let offsetMs = 0;

/** Notes the present of the service. @param at ISO 8601 */
export function noteServiceTime(at: string): void {
  offsetMs = Date.parse(at) - Date.now();
}

/** Returns the present, Unix ms, by the service's clock once it is known. */
export function presentMs(): number {
  return Date.now() + offsetMs;
}
