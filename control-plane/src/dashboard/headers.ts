/** Headers of the dashboard's pages and files. */

/**
 * Content security policy: a page may load files of its own origin and call the API there, nothing else. Scripts are sent with
 * the policy, too, because a worker obeys the policy of its own script. Trusted Types turn a slip that would write markup into an error.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "media-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types svc",
].join("; ");

/** Seconds for which a browser asks for the service by https only. */
const HSTS_SECONDS = 180 * 24 * 3600;

/** Returns the headers of every page and file; by https, browsers stay with it. */
export function dashboardHeaders(publicUrl: string): Record<string, string> {
  return {
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=()",
    ...(publicUrl.startsWith("https:") && { "strict-transport-security": `max-age=${HSTS_SECONDS}` }),
  };
}
