/**
 * Parses the Retry-After header of an answer: seconds or an HTTP date.
 * @param nowMs wall clock, Unix ms: an HTTP date is counted from it
 * @returns ms from now; undefined when the header is neither
 */
export function retryAfterMsOf(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d{1,9}$/.test(header.trim()) ? Number(header) : Number.NaN;
  const ms = Number.isNaN(seconds) ? Date.parse(header) - nowMs : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
