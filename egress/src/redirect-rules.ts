/** Rules of redirects that fetches and probes share (Fetch standard, HTTP-redirect fetch). Pure. */

const REDIRECT_CODES = new Set([301, 302, 303, 307, 308]);

/** True for the statuses of answers that lead to another URL when they name one. */
export function isRedirectCode(httpStatusCode: number): boolean {
  return REDIRECT_CODES.has(httpStatusCode);
}

/** True when a redirect with this status changes the request's method to GET, as browsers do. */
export function redirectBecomesGet(method: string, httpStatusCode: number): boolean {
  if (httpStatusCode === 303) return method !== "HEAD";
  return (httpStatusCode === 301 || httpStatusCode === 302) && method === "POST";
}
