/** Exchanges one request of a guarded fetch for its response, over a connection of its own. */
import http from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import tls from "node:tls";
import type { Egress } from "./egress.ts";
import { EgressDenied } from "./egress-denied.ts";
import { GuardedFetchError, type GuardedRequest, type GuardedResponse, shownUrl } from "./guarded-request.ts";

/** One request on the way through redirects. */
export interface Hop {
  url: URL;
  method: string;
  headers: [string, string][];
  body: string | Uint8Array | undefined;
}

/** The surroundings that all hops of a fetch share. */
export interface HopScope {
  egress: Egress;
  request: GuardedRequest;
  /** Ends the fetch: the caller's signal and the time limit. */
  signal: AbortSignal;
}

/** Sends one request. Rejects with EgressDenied, GuardedFetchError or the signal's reason. */
export async function exchangeHop(hop: Hop, scope: HopScope): Promise<GuardedResponse> {
  scope.egress.assertUrlAllowed(hop.url);
  const socket = await open(hop.url, scope);
  try {
    return await send(socket, hop, scope);
  } catch (error) {
    throw asFetchError(error, hop.url);
  } finally {
    socket.on("error", () => {});
    socket.destroy();
  }
}

async function open(url: URL, { egress, request, signal }: HopScope): Promise<Socket> {
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

function send(socket: Socket, hop: Hop, { request, signal }: HopScope): Promise<GuardedResponse> {
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
        reject(
          new GuardedFetchError("too_large", `${shownUrl(hop.url.href)} is larger than ${maxBytes} bytes`),
        );
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
  return new GuardedFetchError("network", `${shownUrl(url.href)} could not be loaded: ${message}`, {
    cause: error,
  });
}
