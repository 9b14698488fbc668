/** From a check's configuration to the first request of a run. */
import type { HttpConfig } from "@svc/contract";

/** A request as it is sent to one URL. */
export interface HttpRequest {
  url: URL;
  method: string;
  /** Name and value pairs, without Host and framing headers. A header Host given by the check is in `host`. */
  headers: readonly (readonly [name: string, value: string])[];
  host: string | undefined;
  body: Buffer | undefined;
}

/** Set by the probe itself, because they frame the message and the connection: a value of the check is not sent. */
const FRAMING_HEADERS = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "transfer-encoding",
  "upgrade",
]);

/** Codings that the probe can undo. */
const ACCEPT_ENCODING = "gzip, deflate, br, zstd";

/** The first request of a run, but for its trace context. `userAgent` gives way to a header of the check. */
export function firstRequest(
  config: Pick<HttpConfig, "url" | "method" | "headers" | "body" | "auth">,
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
  const body = config.body === undefined || config.body === "" ? undefined : Buffer.from(config.body);
  url.username = "";
  url.password = "";
  return { url, method: config.method, headers, host, body };
}

/** The request with one more header. */
export function withHeader(request: HttpRequest, name: string, value: string): HttpRequest {
  return { ...request, headers: [...request.headers, [name, value]] };
}

/** The header that carries the check's credentials, or those of its URL. */
function authHeader(config: Pick<HttpConfig, "auth">, url: URL): [string, string] | undefined {
  const { auth } = config;
  if (auth?.type === "bearer") return ["Authorization", `Bearer ${auth.token}`];
  if (auth?.type === "api-key") return [auth.header, auth.value];
  if (auth?.type === "basic") return ["Authorization", basic(auth.username, auth.password)];
  if (url.username || url.password)
    return ["Authorization", basic(percentDecode(url.username), percentDecode(url.password))];
  return undefined;
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** Undoes percent encoding; text with a stray % stays as it is. */
function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
