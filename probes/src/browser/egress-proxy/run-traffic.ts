/**
 * What one run may send and receive, and what became of it: the proxy asks here before it connects, and counts here. When the
 * run is over everything that is still open is cut, so that nothing of one run is left for the next.
 */
import type { Duplex } from "node:stream";
import type { ErrorCategory } from "@svc/contract";
import type { Egress } from "@svc/egress";
import type { RunFault } from "../../run/outcome.ts";

/** Both directions together. A page has a few MiB; a download that would fill the machine ends here. */
export const RUN_BYTES_MAX = 200 * 1024 * 1024;
/** Connections of one run at a time, both sides counted. */
export const RUN_SOCKETS_MAX = 512;
/** Places whose failure, or time, is remembered. */
const AUTHORITIES_MAX = 200;

/** Why the proxy could not connect: the target's doing, or this runner's. */
export type ConnectFailure =
  | { kind: "target"; category: ErrorCategory; message: string }
  | { kind: "runner"; reason: RunFault["reason"]; message: string };

export interface ConnectTimes {
  dnsLookupUs?: number;
  tcpConnectUs?: number;
}

export class RunTraffic {
  readonly egress: Egress;
  readonly bytesMax: number;
  readonly #controller = new AbortController();
  readonly #failures = new Map<string, ConnectFailure>();
  readonly #times = new Map<string, ConnectTimes>();
  readonly #sockets = new Set<Duplex>();
  #bytes = 0;

  constructor(egress: Egress, bytesMax = RUN_BYTES_MAX) {
    this.egress = egress;
    this.bytesMax = bytesMax;
  }

  /** Aborts when the run is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the run was cut because it moved too much. */
  get hasExceeded(): boolean {
    return this.#bytes > this.bytesMax;
  }

  /** Whether another connection may be opened. */
  get mayConnect(): boolean {
    return !this.signal.aborted && this.#sockets.size < RUN_SOCKETS_MAX;
  }

  /** What connecting to a place first came to, by `host:port`. */
  failureAt(authority: string): ConnectFailure | undefined {
    return this.#failures.get(authority);
  }

  /** How long the first connection to a place took. */
  timesAt(authority: string): ConnectTimes | undefined {
    return this.#times.get(authority);
  }

  noteFailure(authority: string, failure: ConnectFailure): void {
    if (this.#failures.size < AUTHORITIES_MAX && !this.#failures.has(authority))
      this.#failures.set(authority, failure);
  }

  noteTimes(authority: string, times: ConnectTimes): void {
    if (this.#times.size < AUTHORITIES_MAX && !this.#times.has(authority)) this.#times.set(authority, times);
  }

  /** Ties a connection to the run. */
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

  /** Cuts everything. Safe to call twice. */
  close(): void {
    this.#controller.abort(new Error("the run is over"));
    for (const socket of this.#sockets) socket.destroy();
  }
}
