/**
 * Bounds what connections to the runners' port may cost before and after a runner key came over them. Every socket is
 * registered when it is accepted, before TLS or HTTP/2 look at it.
 *
 * - Connections without a key are few, by address and in all; where there are too many, the oldest one goes. One that
 *   shows no key for some seconds is ended; an answered health check extends its time.
 * - A connection with more streams, resets or bytes beside message bodies than honest agents cause is ended with
 *   ENHANCE_YOUR_CALM. Node counts invalid frames and unanswered settings and pings by itself.
 * - An address that connects far faster than a fleet behind one gateway would is refused at once.
 */
import http2 from "node:http2";
import type { Socket } from "node:net";
import { SECOND_MS } from "@svc/contract";
import { addressGroupOf } from "../platform/address-group.ts";
import { monotonicMs } from "../platform/clock.ts";
import { TokenBuckets } from "../platform/token-buckets.ts";
import type { ConnectionEndReason, ConnectionLimits } from "./connection-limits.ts";
import { Strangers } from "./strangers.ts";

/** Connections that an address may open at once, and in each second after that. */
const CONNECTIONS_BURST = 2_000;
const CONNECTIONS_PER_SECOND = 200;
/** Length of the window in which streams and resets are counted. */
const WINDOW_MS = 10 * SECOND_MS;
/** Streams in a window. Agents open one for a session, a spec or an artifact, each over a connection of its own. */
const STREAMS_MAX = { stranger: 100, runner: 1_000 };
/** Resets by the peer in a window. An agent that ends a session resets one stream. */
const RESETS_MAX = 100;
/** Bytes in a window that belong to no message body: headers, settings, pings. */
const FRAMING_BYTES_MAX = { stranger: 256 * 1024, runner: 4 * 1024 * 1024 };
const LOOK_INTERVAL_MS = SECOND_MS / 4;

/** A connection's life so far. */
interface Guarded {
  socket: Socket;
  session: http2.ServerHttp2Session | undefined;
  address: string;
  /** True once a runner key came over the connection. */
  hasKey: boolean;
  /** True once a limit ended the connection. */
  wasEnded: boolean;
  /** Deadline by which the connection must have shown a key or been used again (monotonic ms). */
  endsAtMs: number;
  openStreams: number;
  windowFromMs: number;
  streams: number;
  resets: number;
  /** Bytes of the connection and of message bodies when the window began, and of bodies since the connection began. */
  bytesAtWindow: number;
  bodyBytesAtWindow: number;
  bodyBytes: number;
}

/** Guards the runners' port: register each socket with it when it is accepted. */
export class ConnectionGuard {
  readonly #limits: ConnectionLimits;
  readonly #monotonicMs: () => number;
  /** Guarded connections by the peer's address and port. */
  readonly #byPeer = new Map<string, Guarded>();
  readonly #bySession = new WeakMap<http2.Http2Session, Guarded>();
  /** Connections without a key. */
  readonly #strangers = new Strangers<Guarded>();
  readonly #pace: TokenBuckets;
  readonly #timer: NodeJS.Timeout;
  readonly #onEnded: (reason: ConnectionEndReason) => void;

  /**
   * @param clockMs monotonic clock, ms; default the process's
   * @param onEnded called when a limit refuses or ends a connection
   */
  constructor(
    limits: ConnectionLimits,
    clockMs = monotonicMs,
    onEnded: (reason: ConnectionEndReason) => void = () => {},
  ) {
    this.#limits = limits;
    this.#onEnded = onEnded;
    this.#monotonicMs = clockMs;
    this.#pace = new TokenBuckets({
      burst: CONNECTIONS_BURST,
      perSecond: CONNECTIONS_PER_SECOND,
      clockMs,
    });
    this.#timer = setInterval(() => this.#lookAtAll(), LOOK_INTERVAL_MS).unref();
  }

  get connections(): number {
    return this.#byPeer.size;
  }

  /** Registers an accepted socket. False when the connection is refused; the socket is then destroyed. */
  admit(socket: Socket): boolean {
    const address = addressGroupOf(socket.remoteAddress);
    const isFull = this.#byPeer.size >= this.#limits.connectionsMax;
    const isTooFast = !this.#pace.trySpend(address);
    if (isTooFast || (isFull && this.#strangers.count === 0)) {
      this.#onEnded(isTooFast ? "pace" : "connections");
      socket.destroy();
      return false;
    }
    if (isFull || this.#strangers.count >= this.#limits.strangersMax) this.#endOldestStranger();
    const nowMs = this.#monotonicMs();
    const guarded: Guarded = {
      socket,
      session: undefined,
      address,
      hasKey: false,
      wasEnded: false,
      endsAtMs: nowMs + this.#limits.keyTimeoutMs,
      openStreams: 0,
      windowFromMs: nowMs,
      streams: 0,
      resets: 0,
      bytesAtWindow: 0,
      bodyBytesAtWindow: 0,
      bodyBytes: 0,
    };
    const peer = peerOf(socket);
    this.#byPeer.set(peer, guarded);
    this.#addStranger(guarded);
    socket.once("close", () => {
      this.#byPeer.delete(peer);
      this.#strangers.remove(guarded);
    });
    return true;
  }

  /** Takes over a session that began on a registered socket. */
  watch(session: http2.ServerHttp2Session): void {
    const guarded = this.#byPeer.get(peerOf(session.socket));
    if (!guarded) {
      session.destroy();
      return;
    }
    guarded.session = session;
    this.#bySession.set(session, guarded);
    session.on("stream", (stream) => this.#countStream(guarded, stream));
  }

  addressOf(session: http2.Http2Session | undefined): string {
    return this.#find(session)?.address ?? "";
  }

  /** A request over the connection had a runner key. */
  accepted(session: http2.Http2Session | undefined): void {
    const guarded = this.#find(session);
    if (!guarded || guarded.hasKey) return;
    this.#strangers.remove(guarded);
    guarded.hasKey = true;
    guarded.endsAtMs = Number.POSITIVE_INFINITY;
  }

  /** A health check came over the connection: it may stay for a while. */
  checkedHealth(session: http2.Http2Session | undefined): void {
    const guarded = this.#find(session);
    if (guarded && !guarded.hasKey) guarded.endsAtMs = this.#monotonicMs() + this.#limits.idleTimeoutMs;
  }

  /** Bytes of a message body were read. */
  countBody(session: http2.Http2Session | undefined, bytes: number): void {
    const guarded = this.#find(session);
    if (guarded) guarded.bodyBytes += bytes;
  }

  /** Ends every connection. */
  close(): void {
    clearInterval(this.#timer);
    for (const { socket } of this.#byPeer.values()) socket.destroy();
  }

  #find(session: http2.Http2Session | undefined): Guarded | undefined {
    return session && this.#bySession.get(session);
  }

  /**
   * Counts a stream when it begins: Node reports its reset only after further streams of the same packet have begun.
   */
  #countStream(guarded: Guarded, stream: http2.ServerHttp2Stream): void {
    this.#beginWindowWhenDue(guarded);
    guarded.streams++;
    guarded.openStreams++;
    if (guarded.streams > STREAMS_MAX[kindOf(guarded)]) {
      this.#end(guarded, "streams");
      return;
    }
    stream.once("close", () => {
      guarded.openStreams--;
      if (guarded.hasKey) guarded.endsAtMs = this.#monotonicMs() + this.#limits.idleTimeoutMs;
      if (stream.aborted) guarded.resets++;
      if (guarded.resets > RESETS_MAX) this.#end(guarded, "resets");
    });
  }

  #lookAtAll(): void {
    for (const guarded of this.#byPeer.values()) {
      this.#beginWindowWhenDue(guarded);
      const bodyBytes = guarded.bodyBytes - guarded.bodyBytesAtWindow;
      const framingBytes = guarded.socket.bytesRead - guarded.bytesAtWindow - bodyBytes;
      // Frames of bodies carry a few bytes of their own.
      if (framingBytes - bodyBytes / 8 > FRAMING_BYTES_MAX[kindOf(guarded)]) this.#end(guarded, "framing");
      else if (this.#monotonicMs() > guarded.endsAtMs && !(guarded.hasKey && guarded.openStreams > 0))
        this.#endQuietly(guarded);
    }
  }

  #beginWindowWhenDue(guarded: Guarded): void {
    const nowMs = this.#monotonicMs();
    if (nowMs - guarded.windowFromMs < WINDOW_MS) return;
    guarded.windowFromMs = nowMs;
    guarded.streams = 0;
    guarded.resets = 0;
    guarded.bytesAtWindow = guarded.socket.bytesRead;
    guarded.bodyBytesAtWindow = guarded.bodyBytes;
  }

  /** Ends a connection whose peer does more than agents do. */
  #end(guarded: Guarded, ended: ConnectionEndReason): void {
    const { session, socket } = guarded;
    this.#countEnd(guarded, ended);
    const reason = new Error("the peer does more than agents do");
    if (session && !session.destroyed) session.destroy(reason, http2.constants.NGHTTP2_ENHANCE_YOUR_CALM);
    else socket.destroy();
  }

  /** Ends a connection that nobody uses. */
  #endQuietly(guarded: Guarded): void {
    const { session, socket, openStreams, hasKey } = guarded;
    if (!hasKey) this.#countEnd(guarded, "no_key");
    if (!session || openStreams > 0) socket.destroy();
    else if (!session.destroyed) session.destroy();
  }

  /** Counts a connection's end once: it may still be looked at until its socket has closed. */
  #countEnd(guarded: Guarded, reason: ConnectionEndReason): void {
    if (guarded.wasEnded) return;
    guarded.wasEnded = true;
    this.#onEnded(reason);
  }

  /** Ends the oldest connection of the address that has most of those without a key. */
  #endOldestStranger(): void {
    const oldest = this.#strangers.removeOldest();
    if (oldest) this.#end(oldest, "strangers");
  }

  #addStranger(guarded: Guarded): void {
    if (this.#strangers.add(guarded) <= this.#limits.strangersPerAddressMax) return;
    const oldest = this.#strangers.removeOldestOf(guarded.address);
    if (oldest) this.#end(oldest, "strangers");
  }
}

/** Names a connection; below TLS and above it the name is one. */
function peerOf({ remoteAddress, remotePort }: Pick<Socket, "remoteAddress" | "remotePort">): string {
  return `${remoteAddress} ${remotePort}`;
}

function kindOf({ hasKey }: Guarded): "runner" | "stranger" {
  return hasKey ? "runner" : "stranger";
}
