/** Connects to targets for a run, if the egress policy permits, at the very address that was judged. */
import type net from "node:net";
import { wallMs } from "../../base/machine-clocks.ts";
import { portOf } from "../../connection/dial.ts";
import { openToProxy, type WayScope } from "../../connection/proxy.ts";
import { openSocket } from "../../connection/way.ts";
import { type Connection, openConnection } from "../../http/connection.ts";
import { RunnerFailure, TargetFailure } from "../../run/failures.ts";
import { PhaseClock } from "../../run/phase-clock.ts";
import type { RunScope } from "../../run/run-scope.ts";
import type { RunTraffic } from "./run-traffic.ts";

/** Longest time of a lookup and a connection together. The run's own limit usually comes first. */
const CONNECT_LIMIT_MS = 30_000;

/**
 * Connects to the host and port of a URL.
 * @throws TargetFailure, RunnerFailure; the failure is noted with the run as well
 */
export function connectFor(traffic: RunTraffic, url: URL): Promise<net.Socket> {
  return noted(traffic, url, (scope) => openSocket(url, scope));
}

/**
 * Connects to whom a request of an http:// URL is sent: its host, or the check's proxy.
 * @throws TargetFailure, RunnerFailure; the failure is noted with the run as well
 */
export function connectToForward(traffic: RunTraffic, url: URL): Promise<net.Socket> {
  const proxy = traffic.connection?.proxy;
  return noted(traffic, url, (scope) => (proxy ? openToProxy(url, proxy, scope) : openSocket(url, scope)));
}

/**
 * Connects to the host of an https URL, which has to prove who it is, to speak HTTP/1.1 with it.
 * @throws TargetFailure, RunnerFailure; the failure is noted with the run as well
 */
export function connectSecurelyFor(traffic: RunTraffic, url: URL): Promise<net.Socket> {
  return noted(traffic, url, async (scope) => {
    const { socket, protocol } = await openConnection(url, runScope(traffic, url, scope));
    if (protocol === "http/1.1") return socket;
    socket.destroy();
    throw new TargetFailure({
      status: "error",
      category: "protocol",
      message: `${url.host} speaks HTTP/2 only, which a run with limits can't use`,
    });
  });
}

/** How a browser's proxy speaks TLS with a target. */
interface AsBrowser {
  /** False: the browser speaks HTTP/1.1 alone, as for a WebSocket. */
  prefersH2: boolean;
}

/**
 * Connects to the host of an https URL as a browser would, and notes its certificate with the run: the host has to prove who it is.
 * @returns the connection, with the application protocol that the target chose
 * @throws TargetFailure, RunnerFailure; the failure is noted with the run as well
 */
export function connectAsClientFor(
  traffic: RunTraffic,
  url: URL,
  { prefersH2 }: AsBrowser,
): Promise<Connection> {
  return noted(traffic, url, async (scope) => {
    const connection = await openConnection(url, runScope(traffic, url, scope), {
      prefersH2,
      isModernOnly: true,
    });
    if (connection.tls) traffic.noteCertificate(authorityOf(url), connection.tls);
    if (prefersH2 || connection.protocol === "http/1.1") return connection;
    connection.socket.destroy();
    throw new TargetFailure({
      status: "error",
      category: "protocol",
      message: `${url.host} speaks HTTP/2 only, where the browser asks for HTTP/1.1`,
    });
  });
}

function runScope(traffic: RunTraffic, url: URL, scope: WayScope): RunScope {
  return {
    ...scope,
    nowMs: wallMs,
    caCertificates: traffic.caCertificates,
    keepsBody: false,
    bodyClaim: undefined,
    tls: undefined,
    url,
  };
}

async function noted<Opened>(
  traffic: RunTraffic,
  url: URL,
  open: (scope: WayScope) => Promise<Opened>,
): Promise<Opened> {
  const clock = new PhaseClock();
  const authority = authorityOf(url);
  try {
    const signal = AbortSignal.any([traffic.signal, AbortSignal.timeout(CONNECT_LIMIT_MS)]);
    const opened = await open({ egress: traffic.egress, clock, signal, connection: traffic.connection });
    const { dnsLookupUs, tcpConnectUs, tlsHandshakeUs } = clock.times();
    traffic.noteTimes(authority, {
      ...(dnsLookupUs === undefined ? {} : { dnsLookupUs }),
      ...(tcpConnectUs === undefined ? {} : { tcpConnectUs }),
      ...(tlsHandshakeUs === undefined ? {} : { tlsHandshakeUs }),
    });
    return opened;
  } catch (error) {
    if (error instanceof TargetFailure)
      traffic.noteFailure(authority, { kind: "target", category: error.category, message: error.message });
    if (error instanceof RunnerFailure)
      traffic.noteFailure(authority, { kind: "runner", reason: error.reason, message: error.message });
    throw error;
  }
}

/** Returns `host:port`, with the port that the scheme implies. */
export function authorityOf(url: URL): string {
  return `${url.hostname}:${portOf(url)}`;
}
