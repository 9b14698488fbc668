/**
 * Finds the reason why a page did not load: from the proxy, which knows why it could not connect, else from the
 * browser's error code.
 */
import type { ErrorCategory } from "@svc/contract";
import { authorityOf } from "./egress-proxy/connect.ts";
import type { ConnectFailure, RunTraffic } from "./egress-proxy/run-traffic.ts";
import type { RunReport } from "./protocol/messages.ts";

/** Categories by the beginning of Chromium's net error; the first match counts. */
const CATEGORIES: readonly (readonly [prefix: string, category: ErrorCategory])[] = [
  ["ERR_CERT_", "tls"],
  ["ERR_SSL_", "tls"],
  ["ERR_BAD_SSL_", "tls"],
  ["ERR_NAME_", "dns"],
  ["ERR_TOO_MANY_REDIRECTS", "http"],
  ["ERR_INVALID_REDIRECT", "http"],
  ["ERR_UNSAFE_REDIRECT", "http"],
  ["ERR_CONNECTION_", "connect"],
  ["ERR_ADDRESS_", "connect"],
  ["ERR_TUNNEL_", "connect"],
  ["ERR_PROXY_", "connect"],
  ["ERR_SOCKET_", "connect"],
  ["ERR_TIMED_OUT", "connect"],
];

/** Returns why the newest document that failed did not come, as far as the proxy knows. */
export function connectFailureOf(report: RunReport, traffic: RunTraffic): ConnectFailure | undefined {
  const document = report.networkRequests.findLast(
    ({ resourceType, errorText }) => resourceType === "document" && errorText !== undefined,
  );
  if (!document || !URL.canParse(document.url)) return undefined;
  return traffic.failureAt(authorityOf(new URL(document.url)));
}

/** Returns the category of a navigation error. */
export function navigationCategory(message: string): ErrorCategory {
  const code = /net::(ERR_[A-Z0-9_]+)/.exec(message)?.[1] ?? "";
  return CATEGORIES.find(([prefix]) => code.startsWith(prefix))?.[1] ?? "protocol";
}
