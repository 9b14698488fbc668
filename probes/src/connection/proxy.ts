/**
 * The way through an HTTP proxy: a tunnel (CONNECT, RFC 9110, 9.3.6), or a connection to the proxy itself for requests of http://
 * URLs. The egress policy holds for both ends: the proxy is dialled under it like any target, and a target that it denies is
 * not asked for. Nothing that a proxy says is quoted, since it may repeat its credentials.
 */
import http from "node:http";
import type net from "node:net";
import { addressOfHost } from "@svc/egress";
import type { HttpProxy } from "../run/connection-settings.ts";
import { codeOf, RunnerFailure, rethrowFailure, runnerFaultOf, TargetFailure } from "../run/failures.ts";
import { type RunScope, untilAborted } from "../run/run-scope.ts";
import { addressesOf, connect, type DialScope, portOf } from "./dial.ts";

/** The part of a run's scope that any way to a target needs. */
export type WayScope = DialScope & Pick<RunScope, "connection" | "doing">;

/** Larger heads of answers to CONNECT are refused; proxies send a few lines. */
const HEAD_BYTES_MAX = 16 * 1024;
/** How long a runner that may reach private addresses looks up a name that perhaps only the proxy knows. */
const LOOKUP_MS_MAX = 1_000;

/**
 * Judges the target and looks up the proxy.
 * @returns opens a tunnel through the proxy to the URL's host and port, a new one at each call
 * @throws TargetFailure, RunnerFailure, or the signal's reason; so does the function that is returned
 */
export async function tunnelTo(
  url: URL,
  proxy: HttpProxy,
  scope: WayScope,
): Promise<() => Promise<net.Socket>> {
  const open = await wayToProxy(url, proxy, scope);
  return async () => {
    const socket = await open();
    scope.doing = `waiting for the proxy ${proxy.url.host} to connect`;
    scope.clock.enter("tcp");
    try {
      await askForTunnel(socket, { url, proxy }, scope);
      return socket;
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      scope.clock.leave();
      scope.doing = undefined;
    }
  };
}

/**
 * Opens a connection to the proxy, for a request that names its http:// URL as a whole.
 * @throws TargetFailure, RunnerFailure, or the signal's reason
 */
export async function openToProxy(url: URL, proxy: HttpProxy, scope: WayScope): Promise<net.Socket> {
  return (await wayToProxy(url, proxy, scope))();
}

/** Returns the failure of a proxy that wants credentials, or others than it got. */
export function credentialsWanted({ url, authorization }: HttpProxy): TargetFailure {
  return new TargetFailure({
    status: "error",
    category: "connect",
    message:
      authorization === undefined
        ? `the proxy ${url.host} wants credentials (407): proxyUsername and proxyPassword`
        : `the proxy ${url.host} does not accept the credentials (407)`,
  });
}

async function wayToProxy(url: URL, proxy: HttpProxy, scope: WayScope): Promise<() => Promise<net.Socket>> {
  await assertTargetAllowed(url, scope);
  const words = `the proxy ${proxy.url.host}`;
  const addresses = await atProxy(`looking up ${words}`, scope, () => addressesOf(proxy.url.hostname, scope));
  return () => atProxy(`connecting to ${words}`, scope, () => connect(proxy.url, addresses, scope));
}

/** Does something that concerns the proxy, and says so when it fails. */
async function atProxy<T>(doing: string, scope: WayScope, act: () => Promise<T>): Promise<T> {
  scope.doing = doing;
  try {
    return await act();
  } catch (error) {
    if (error === scope.signal.reason || !(error instanceof TargetFailure)) throw error;
    const { status, category, message, isNetworkError } = error;
    throw new TargetFailure(
      { status, category, message: `the proxy can't be reached: ${message}`, isNetworkError },
      { cause: error },
    );
  } finally {
    scope.doing = undefined;
  }
}

/**
 * Refuses a target that the policy denies by its address, by its name, or by the addresses that its name has here. Where
 * private addresses are denied the name has to be known here, so that each is judged. Elsewhere only metadata services are
 * denied, and names that the proxy alone knows are the reason for many a proxy, so one without an answer is left to it.
 */
async function assertTargetAllowed(url: URL, scope: WayScope): Promise<void> {
  const { egress, clock, signal } = scope;
  if (!egress.allowPrivate || addressOfHost(url.hostname) !== undefined) {
    await addressesOf(url.hostname, scope);
    return;
  }
  clock.enter("dns");
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LOOKUP_MS_MAX);
  });
  const judged = egress.pin(url.hostname).then(
    () => undefined,
    (error: unknown) => rethrowFailure(error),
  );
  try {
    await untilAborted(Promise.race([judged, patience]), signal);
  } finally {
    clearTimeout(timer);
    clock.leave();
    judged.catch(() => {}); // a denial that comes after the end
  }
}

/** Asks for a tunnel. What the target sent already behind the answer is put back into the socket. */
function askForTunnel(
  socket: net.Socket,
  { url, proxy }: { url: URL; proxy: HttpProxy },
  { signal }: WayScope,
): Promise<void> {
  const authority = `${url.hostname}:${portOf(url)}`;
  const { authorization } = proxy;
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const request = http.request({
      createConnection: () => socket,
      method: "CONNECT",
      path: authority,
      headers: ["Host", authority, ...(authorization ? ["Proxy-Authorization", authorization] : [])],
      maxHeaderSize: HEAD_BYTES_MAX,
    });
    const onAbort = () => settle(() => reject(signal.reason));
    const settle = (end: () => void) => {
      signal.removeEventListener("abort", onAbort);
      request.on("error", ignore);
      end();
    };
    signal.addEventListener("abort", onAbort, { once: true });
    request.on("error", (error) => settle(() => reject(brokenBy(proxy, error))));
    request.on("connect", ({ statusCode = 0 }, _socket, head) =>
      settle(() => {
        if (statusCode < 200 || statusCode > 299) return reject(refusalOf(statusCode, authority, proxy));
        if (head.length > 0) socket.unshift(head);
        resolve();
      }),
    );
    request.end();
  });
}

function refusalOf(httpStatusCode: number, authority: string, proxy: HttpProxy): TargetFailure {
  if (httpStatusCode === 407) return credentialsWanted(proxy);
  const couldNot = httpStatusCode >= 502 && httpStatusCode <= 504;
  return new TargetFailure({
    status: "error",
    category: "connect",
    message: couldNot
      ? `the proxy ${proxy.url.host} could not connect to ${authority} (${httpStatusCode})`
      : `the proxy ${proxy.url.host} refused to connect to ${authority} (${httpStatusCode})`,
    isNetworkError: couldNot,
  });
}

function brokenBy({ url }: HttpProxy, error: unknown): Error {
  const code = codeOf(error) ?? "unknown error";
  const fault = runnerFaultOf([code]);
  if (fault)
    return new RunnerFailure(fault, `the connection to the proxy ${url.host} broke: ${code}`, {
      cause: error,
    });
  const isNoHttp = code.startsWith("HPE_");
  return new TargetFailure(
    {
      status: "error",
      category: isNoHttp ? "protocol" : "connect",
      message: isNoHttp
        ? `the proxy ${url.host} did not answer with valid HTTP (${code})`
        : `the proxy ${url.host} closed the connection without answering (${code})`,
      isNetworkError: !isNoHttp,
    },
    { cause: error },
  );
}

function ignore(): void {}
