/** The Retry-After header of an answer: seconds or an HTTP date. @returns ms from now; undefined when it is neither */
export function retryAfterMsOf(header: string | undefined, nowMs = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d{1,9}$/.test(header.trim()) ? Number(header) : Number.NaN;
  const ms = Number.isNaN(seconds) ? Date.parse(header) - nowMs : seconds * 1000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
