/** Makes the first request of a run from a check's configuration. */
import { type HttpConfig, mayHaveBody, percentDecoded } from "@svc/contract";

/** A request to one URL. */
export interface HttpRequest {
  url: URL;
  method: string;
  /** Name and value pairs, without Host and the framing headers. A Host header of the check is in `host`. */
  headers: readonly (readonly [name: string, value: string])[];
  host: string | undefined;
  body: Buffer | undefined;
  /** True when a redirect may send the body to another origin as well. */
  mayResendBody?: boolean;
}

/**
 * Headers that the probe sets itself, because they frame the message and the connection. The check's values for them
 * are not sent.
 */
const FRAMING_HEADERS = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
]);

/** The content codings that the probe can decode. */
const ACCEPT_ENCODING = "gzip, deflate, br, zstd";

/**
 * Returns the first request of a run, without its trace context.
 * @param defaults.userAgent sent unless the check has a User-Agent header
 */
export function firstRequest(
  config: Pick<HttpConfig, "url" | "method" | "headers" | "body" | "auth" | "resendBody">,
  defaults: { userAgent: string },
): HttpRequest {
  const url = new URL(config.url);
  const headers: [string, string][] = [];
  const given = new Set<string>();
  let host: string | undefined;
  for (const [name, value] of Object.entries(config.headers ?? {})) {
    const lower = name.toLowerCase();
    if (FRAMING_HEADERS.has(lower)) continue;
    given.add(lower);
    if (lower === "host") host = value;
    else headers.push([name, value]);
  }
  const add = (name: string, value: string) => {
    if (given.has(name.toLowerCase())) return;
    given.add(name.toLowerCase());
    headers.push([name, value]);
  };
  add("User-Agent", defaults.userAgent);
  add("Accept", "*/*");
  add("Accept-Encoding", ACCEPT_ENCODING);
  const credentials = authHeader(config, url);
  if (credentials) add(...credentials);
  const body = config.body && mayHaveBody(config.method) ? Buffer.from(config.body) : undefined;
  url.username = "";
  url.password = "";
  const request = { url, method: config.method, headers, host, body };
  return config.resendBody === "any" ? { ...request, mayResendBody: true } : request;
}

/** Returns the request with one more header. */
export function withHeader(request: HttpRequest, name: string, value: string): HttpRequest {
  return { ...request, headers: [...request.headers, [name, value]] };
}

/** Returns the header with the check's credentials, or with those of its URL. */
function authHeader(config: Pick<HttpConfig, "auth">, url: URL): [string, string] | undefined {
  const { auth } = config;
  if (auth?.type === "bearer") return ["Authorization", `Bearer ${auth.token}`];
  if (auth?.type === "api-key") return [auth.header, auth.value];
  if (auth?.type === "basic") return ["Authorization", basic(auth.username, auth.password)];
  if (url.username || url.password)
    return ["Authorization", basic(percentDecoded(url.username), percentDecoded(url.password))];
  return undefined;
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}
