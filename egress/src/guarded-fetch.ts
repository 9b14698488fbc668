/**
 * Requests to user-given URLs, bounded in size, time and redirects, with the egress policy applied at every hop. For documents
 * that are loaded or delivered; probes, which time and judge, have requests of their own.
 */
import http from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import tls from "node:tls";
import type { Egress } from "./egress.ts";
import { EgressDenied } from "./egress-denied.ts";

/** A request and its limits. */
export interface GuardedRequest {
  /** Default GET. */
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Names of headers, besides Authorization, Cookie and Proxy-Authorization, that are dropped when a redirect leaves the origin. */
  sensitiveHeaders?: readonly string[];
  /** Larger responses are refused. */
  maxBytes: number;
  /** Time limit of the whole, redirects included. */
  timeoutMs: number;
  /** 0: redirects are returned as they are. */
  maxRedirects: number;
  /** True: refuse URLs that contain a user name or password, those of redirects included. */
  refuseCredentialsInUrl?: boolean;
  signal?: AbortSignal;
  /** PEM certificates trusted instead of the built-in ones. */
  caCertificates?: readonly string[];
}

/** The response that was not a redirect, or was not followed. */
export interface GuardedResponse {
  /** The URL that answered, after redirects. */
  url: string;
  status: number;
  /** Lower-case names. */
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

/** Kinds of failure. */
export type GuardedFetchFailure =
  | "invalid_url"
  | "credentials_in_url"
  | "too_large"
  | "timeout"
  | "too_many_redirects"
  | "network";

/** Says why a request failed, in a sentence safe to show. Refusals by the policy are EgressDenied instead. */
export class GuardedFetchError extends Error {
  readonly reason: GuardedFetchFailure;

  constructor(reason: GuardedFetchFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "GuardedFetchError";
    this.reason = reason;
  }
}

const ALWAYS_SENSITIVE = ["authorization", "cookie", "proxy-authorization"];
const BODY_HEADERS = new Set(["content-type", "content-length", "content-encoding", "content-language"]);
const REDIRECT_CODES = new Set([301, 302, 303, 307, 308]);

/** Sends the request and follows redirects. Rejects with EgressDenied, GuardedFetchError or the signal's reason. */
export async function fetchGuarded(
  egress: Egress,
  target: string,
  request: GuardedRequest,
): Promise<GuardedResponse> {
  const limit = new AbortController();
  const timer = setTimeout(
    () =>
      limit.abort(
        new GuardedFetchError(
          "timeout",
          `no complete answer from ${shown(target)} within ${request.timeoutMs} ms`,
        ),
      ),
    request.timeoutMs,
  );
  const signal = request.signal ? AbortSignal.any([request.signal, limit.signal]) : limit.signal;
  try {
    return await follow({ egress, request, signal }, parseTarget(target, { request }));
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

interface Hop {
  url: URL;
  method: string;
  headers: [string, string][];
  body: string | Uint8Array | undefined;
}

/** The parts that all hops of one call share. */
interface Call {
  egress: Egress;
  request: GuardedRequest;
  /** Aborts at the time limit, and when the caller's signal does. */
  signal: AbortSignal;
}

async function follow(call: Call, url: URL): Promise<GuardedResponse> {
  const { request } = call;
  let hop: Hop = {
    url,
    method: request.method ?? "GET",
    headers: Object.entries(request.headers ?? {}),
    body: request.body,
  };
  for (let followed = 0; ; followed++) {
    const response = await exchange(call, hop);
    const { location } = response.headers;
    if (request.maxRedirects === 0 || location === undefined || !REDIRECT_CODES.has(response.status))
      return response;
    if (followed === request.maxRedirects)
      throw new GuardedFetchError(
        "too_many_redirects",
        `${shown(url.href)} redirects more than ${request.maxRedirects} times`,
      );
    const next = parseTarget(location, { request, base: hop.url });
    hop = redirected(hop, { url: next, status: response.status }, request.sensitiveHeaders);
  }
}

/** Returns the next hop by the rules of fetch: method and body may change, and credentials stay with their origin. */
function redirected(
  hop: Hop,
  { url, status }: { url: URL; status: number },
  sensitiveHeaders: readonly string[] = [],
): Hop {
  const becomesGet =
    (status === 303 && hop.method !== "HEAD") ||
    ((status === 301 || status === 302) && hop.method === "POST");
  const sensitive = new Set([...ALWAYS_SENSITIVE, ...sensitiveHeaders.map((name) => name.toLowerCase())]);
  const staysHome = url.origin === hop.url.origin;
  const headers = hop.headers.filter(([name]) => {
    const lower = name.toLowerCase();
    if (becomesGet && BODY_HEADERS.has(lower)) return false;
    return staysHome || (lower !== "host" && !sensitive.has(lower));
  });
  return {
    url,
    headers,
    method: becomesGet ? "GET" : hop.method,
    body: becomesGet ? undefined : hop.body,
  };
}

/** Parses a URL. Its credentials are never sent: callers use the Authorization header. */
function parseTarget(text: string, { request, base }: { request: GuardedRequest; base?: URL }): URL {
  if (!URL.canParse(text, base?.href))
    throw new GuardedFetchError("invalid_url", `"${text.slice(0, 200)}" is not a URL`);
  const url = new URL(text, base);
  if (request.refuseCredentialsInUrl && (url.username !== "" || url.password !== ""))
    throw new GuardedFetchError(
      "credentials_in_url",
      `the URL of ${url.host} contains a user name or password, which is not allowed`,
    );
  return url;
}

async function exchange(call: Call, hop: Hop): Promise<GuardedResponse> {
  call.egress.assertUrlAllowed(hop.url);
  const socket = await open(call, hop.url);
  try {
    return await send(call, hop, socket);
  } catch (error) {
    throw asFetchError(error, hop.url);
  } finally {
    socket.on("error", () => {});
    socket.destroy();
  }
}

async function open({ egress, request, signal }: Call, url: URL): Promise<Socket> {
  try {
    const isHttps = url.protocol === "https:";
    const addresses = await unlessAborted(egress.pin(url.hostname), signal);
    const port = Number(url.port) || (isHttps ? 443 : 80);
    const socket = await egress.dial({ hostname: url.hostname, addresses, port }, signal);
    if (!isHttps) return socket;
    const host = url.hostname.replace(/^\[|\]$/g, "");
    return tls.connect({
      socket,
      host,
      ...(egress.pinLiteral(url.hostname) ? {} : { servername: host }),
      ...(request.caCertificates ? { ca: [...request.caCertificates] } : {}),
    });
  } catch (error) {
    throw asFetchError(error, url);
  }
}

/** Settles as the promise does, or rejects with the signal's reason at once: a lookup can't be cancelled, only left. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const settled = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else
      signal.addEventListener("abort", () => reject(signal.reason), { once: true, signal: settled.signal });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    settled.abort();
  }
}

function send({ request, signal }: Call, hop: Hop, socket: Socket): Promise<GuardedResponse> {
  const { maxBytes } = request;
  return new Promise((resolve, reject) => {
    const { request: start } = hop.url.protocol === "https:" ? https : http;
    const client = start({
      createConnection: () => socket,
      signal,
      method: hop.method,
      path: hop.url.pathname + hop.url.search,
      headers: { Host: hop.url.host, ...Object.fromEntries(hop.headers) },
    });
    client.on("error", reject);
    client.on("response", (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length <= maxBytes) return;
        response.destroy();
        reject(new GuardedFetchError("too_large", `${shown(hop.url.href)} is larger than ${maxBytes} bytes`));
      });
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          url: hop.url.href,
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      );
    });
    client.end(hop.body);
  });
}

function asFetchError(error: unknown, url: URL): unknown {
  if (error instanceof GuardedFetchError || error instanceof EgressDenied) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new GuardedFetchError("network", `${shown(url.href)} could not be loaded: ${message}`, {
    cause: error,
  });
}

/** Returns a URL for messages: without credentials and query. */
function shown(text: string): string {
  if (!URL.canParse(text)) return "the URL";
  const url = new URL(text);
  return `${url.protocol}//${url.host}${url.pathname}`;
}
