/** Passes single requests of a run on to their targets, and the answers back. */
import http from "node:http";
import { credentialsWanted } from "../../connection/proxy.ts";
import { requestTarget } from "../../http/exchange-http1.ts";
import { authorityOf, connectSecurelyFor, connectToForward } from "./connect.ts";
import type { RunTraffic } from "./run-traffic.ts";

/** Headers that concern one connection only (RFC 9110, section 7.6.1), and the proxy's own. */
const HOP_BY_HOP = new Set([
  "connection",
  "proxy-connection",
  "proxy-authorization",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Time in which a connection must have sent a whole head of a request, first or next. */
const HEAD_LIMIT_MS = 30_000;
/** How often connections are compared with that. */
const HEAD_CHECK_INTERVAL_MS = 5_000;

/** Options of every server that takes a run's requests. */
export const SERVER_OPTIONS: http.ServerOptions = {
  // Uploads may take as long as the run.
  requestTimeout: 0,
  headersTimeout: HEAD_LIMIT_MS,
  keepAliveTimeout: HEAD_LIMIT_MS,
  connectionsCheckingInterval: HEAD_CHECK_INTERVAL_MS,
};

/** A request of a browser or script, and the answer to it. */
interface Exchange {
  request: http.IncomingMessage;
  response: http.ServerResponse;
}

/**
 * Sends a request to its target and the target's answer back. One that the run's limits refuse is answered with 403 and the
 * reason.
 * @param to.url the whole URL of the request
 * @throws TargetFailure, RunnerFailure when there is no connection: then nothing was answered
 */
export async function passOn(
  { request, response }: Exchange,
  { traffic, url }: { traffic: RunTraffic; url: URL },
): Promise<void> {
  const method = request.method ?? "GET";
  const refusal =
    traffic.refuse({ method, url, isUpgrade: false }) ?? (traffic.limits && bodyProblem(request));
  if (refusal !== undefined) {
    response.writeHead(403, { "content-type": "text/plain; charset=utf-8", connection: "close" });
    response.end(refusal);
    return;
  }
  // A failure must not look like an answer of the target, so the browser sees the connection end.
  const target = await openFor(traffic, url);
  const forwarder = url.protocol === "http:" ? traffic.connection?.proxy : undefined;
  const headers = endToEnd(request.rawHeaders);
  if (forwarder?.authorization !== undefined) headers.push("Proxy-Authorization", forwarder.authorization);
  traffic.watch(target);
  const onward = http.request({
    method,
    path: requestTarget(url, forwarder),
    headers: traffic.limits ? ofHost(headers, url) : headers,
    createConnection: () => target,
    setHost: false,
  });
  traffic.count(lengthOf(request.rawHeaders) + url.href.length);
  onward.on("error", () => response.destroy());
  response.on("close", () => target.destroy());
  request.on("data", (chunk: Buffer) => traffic.count(chunk.length));
  request.pipe(onward);
  onward.on("response", (answer) => {
    if (forwarder && answer.statusCode === 407) {
      const { category, message } = credentialsWanted(forwarder);
      traffic.noteFailure(authorityOf(url), { kind: "target", category, message });
      answer.destroy();
      response.destroy();
      return;
    }
    answer.on("error", () => response.destroy());
    answer.on("data", (chunk: Buffer) => traffic.count(chunk.length));
    traffic.count(lengthOf(answer.rawHeaders));
    try {
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.rawHeaders));
    } catch {
      // A status or header that may not be sent on is no answer that a browser could read.
      answer.destroy();
      response.destroy();
      return;
    }
    answer.pipe(response);
  });
}

/** Connects to the host of a URL by the protocol that its scheme names. */
function openFor(traffic: RunTraffic, url: URL): ReturnType<typeof connectToForward> {
  return url.protocol === "https:" ? connectSecurelyFor(traffic, url) : connectToForward(traffic, url);
}

/**
 * Returns the headers that are passed on, and `connection: close`, since each request has a connection of its own.
 */
function endToEnd(raw: readonly string[]): string[] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([raw[at] as string, raw[at + 1] as string]);
  const named = pairs
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.toLowerCase().split(","))
    .map((name) => name.trim());
  const dropped = new Set([...HOP_BY_HOP, ...named]);
  const kept = pairs.filter(([name]) => !dropped.has(name.toLowerCase()));
  return [...kept.flat(), "Connection", "close"];
}

/** Returns why the body of a request is refused: one that only reads has none, and behind it another request could hide. */
function bodyProblem({ method = "GET", headers }: http.IncomingMessage): string | undefined {
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  return hasBody && /^(GET|HEAD|OPTIONS)$/.test(method)
    ? `A ${method} request with a body was refused: a request that only reads has none`
    : undefined;
}

/** Returns the headers with the one host that the request was judged by. */
function ofHost(headers: readonly string[], url: URL): string[] {
  const kept: string[] = ["Host", url.host];
  for (let at = 0; at + 1 < headers.length; at += 2)
    if (headers[at]?.toLowerCase() !== "host") kept.push(headers[at] as string, headers[at + 1] as string);
  return kept;
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
