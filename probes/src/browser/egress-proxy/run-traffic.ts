/**
 * The traffic of one run: the proxy asks here before it connects, and counts bytes here. When the run is over every
 * open connection is cut, so that nothing of one run is left for the next.
 */
import type { Duplex } from "node:stream";
import type { ErrorCategory, TlsFacts } from "@svc/contract";
import type { Egress } from "@svc/egress";
import type { ConnectionSettings } from "../../run/connection-settings.ts";
import type { RunFault } from "../../run/outcome.ts";
import { type LimitedRequest, refusalOf, type TrafficLimits } from "../../run/traffic-limits.ts";

/** Limit of both directions together. A page has a few MiB; a download that would fill the machine ends here. */
const RUN_BYTES_MAX = 200 * 1024 * 1024;
/** Connections of one run at a time, both sides counted. */
const RUN_SOCKETS_MAX = 512;
/** Most targets that are remembered with their failure or their time. */
const AUTHORITIES_MAX = 200;
/** Most kinds of refused requests that are remembered. */
const REFUSALS_MAX = 10;

/** The limits of a run's traffic, and whom its TLS trusts. */
export interface RunTrafficOptions {
  /** Most bytes that the run may send and receive. */
  bytesMax?: number | undefined;
  limits?: TrafficLimits | undefined;
  caCertificates?: readonly string[] | undefined;
  /** The check's own settings of its connections: the proxy that they go through. */
  connection?: ConnectionSettings | undefined;
}

/** Why the proxy could not connect: because of the target, or because of this runner. */
export type ConnectFailure =
  | { kind: "target"; category: ErrorCategory; message: string }
  | { kind: "runner"; reason: RunFault["reason"]; message: string };

/** Durations of a connection to a target, whole microseconds; absent: that part did not happen. */
export interface ConnectTimes {
  dnsLookupUs?: number;
  tcpConnectUs?: number;
  /** The handshake with the target, where the proxy made it. */
  tlsHandshakeUs?: number;
}

/**
 * Counts and limits the traffic of one run, and remembers why connections failed. Past `bytesMax`, all its
 * connections are cut.
 */
export class RunTraffic {
  readonly egress: Egress;
  readonly bytesMax: number;
  /** Limits that each request is held against; undefined: only those of the egress policy. */
  readonly limits: TrafficLimits | undefined;
  /** PEM certificates that are trusted beside the built-in ones where the proxy itself speaks TLS. */
  readonly caCertificates: readonly string[];
  /** The check's own settings of its connections. */
  readonly connection: ConnectionSettings | undefined;
  readonly #controller = new AbortController();
  readonly #failures = new Map<string, ConnectFailure>();
  readonly #hostsOutOfReach = new Set<string>();
  readonly #times = new Map<string, ConnectTimes>();
  readonly #certificates = new Map<string, TlsFacts>();
  readonly #sockets = new Set<Duplex>();
  readonly #refusals = new Map<string, number>();
  #bytes = 0;

  constructor(
    egress: Egress,
    { bytesMax = RUN_BYTES_MAX, limits, caCertificates = [], connection }: RunTrafficOptions = {},
  ) {
    this.egress = egress;
    this.bytesMax = bytesMax;
    this.limits = limits;
    this.caCertificates = caCertificates;
    this.connection = connection;
  }

  /**
   * Returns why the limits don't let a request through, and remembers it; undefined: they do, or there are none.
   */
  refuse(request: LimitedRequest): string | undefined {
    const refusal = this.limits && refusalOf(this.limits, request);
    if (refusal !== undefined && (this.#refusals.has(refusal) || this.#refusals.size < REFUSALS_MAX))
      this.#refusals.set(refusal, (this.#refusals.get(refusal) ?? 0) + 1);
    return refusal;
  }

  /** The refused requests in sentences, each kind once with the number of its requests. */
  get refusals(): string[] {
    return [...this.#refusals].map(([refusal, times]) =>
      times === 1 ? refusal : `${refusal} (${times} times)`,
    );
  }

  /** Aborts when the run is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True when the run was cut off because it moved too many bytes. */
  get hasExceeded(): boolean {
    return this.#bytes > this.bytesMax;
  }

  /** True when another connection may be opened. */
  get mayConnect(): boolean {
    return !this.signal.aborted && this.#sockets.size < RUN_SOCKETS_MAX;
  }

  /** Returns the first failure to connect to a target, given as `host:port`. */
  failureAt(authority: string): ConnectFailure | undefined {
    return this.#failures.get(authority);
  }

  /** True when this runner, by its own fault, could not connect to the host. */
  isOutOfReach(host: string): boolean {
    return this.#hostsOutOfReach.has(host);
  }

  /** Returns how long the first connection to a target took. */
  timesAt(authority: string): ConnectTimes | undefined {
    return this.#times.get(authority);
  }

  noteFailure(authority: string, failure: ConnectFailure): void {
    if (failure.kind === "runner" && this.#hostsOutOfReach.size < AUTHORITIES_MAX)
      this.#hostsOutOfReach.add(authority.slice(0, authority.lastIndexOf(":")));
    if (this.#failures.size < AUTHORITIES_MAX && !this.#failures.has(authority))
      this.#failures.set(authority, failure);
  }

  noteTimes(authority: string, times: ConnectTimes): void {
    if (this.#times.size < AUTHORITIES_MAX && !this.#times.has(authority)) this.#times.set(authority, times);
  }

  /** True when the proxy speaks TLS with the targets itself, because the check has certificates of its own. */
  get hasOwnCertificates(): boolean {
    const { ownAuthorities, clientCertificate } = this.connection ?? {};
    return ownAuthorities !== undefined || clientCertificate !== undefined;
  }

  /** Returns the certificate of a target with which the proxy spoke TLS. */
  certificateAt(authority: string): TlsFacts | undefined {
    return this.#certificates.get(authority);
  }

  noteCertificate(authority: string, facts: TlsFacts): void {
    if (this.#certificates.size < AUTHORITIES_MAX && !this.#certificates.has(authority))
      this.#certificates.set(authority, facts);
  }

  /** Ties a connection to the run, with which it ends. */
  watch(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    if (this.signal.aborted) socket.destroy();
  }

  count(bytes: number): void {
    this.#bytes += bytes;
    if (this.hasExceeded) this.close();
  }

  /** Cuts all connections. Safe to call twice. */
  close(): void {
    this.#controller.abort(new Error("the run is over"));
    for (const socket of this.#sockets) socket.destroy();
  }
}
