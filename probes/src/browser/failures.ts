/** What kept a page from loading: decided by the proxy, which knows why it could not connect, else by the browser's code. */
import type { ErrorCategory } from "@svc/contract";
import { authorityOf } from "./egress-proxy/connect.ts";
import type { ConnectFailure, RunTraffic } from "./egress-proxy/run-traffic.ts";
import type { RunReport } from "./protocol/messages.ts";

/** By the beginning of Chromium's net error, first match. */
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

/** Why the document that was asked for last did not come, as the proxy has it. */
export function connectFailureOf(report: RunReport, traffic: RunTraffic): ConnectFailure | undefined {
  const document = report.networkRequests.findLast(
    ({ resourceType, errorText }) => resourceType === "document" && errorText !== undefined,
  );
  if (!document || !URL.canParse(document.url)) return undefined;
  return traffic.failureAt(authorityOf(new URL(document.url)));
}

/** The category of what the browser said. */
export function navigationCategory(message: string): ErrorCategory {
  const code = /net::(ERR_[A-Z0-9_]+)/.exec(message)?.[1] ?? "";
  return CATEGORIES.find(([prefix]) => code.startsWith(prefix))?.[1] ?? "protocol";
}
