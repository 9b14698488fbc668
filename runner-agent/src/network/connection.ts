/**
 * The HTTP/2 connection under a stream, in place of the transport's own session manager. It notices a network that swallows
 * everything within seconds, also while connecting; and an error on it, whenever it comes, ends the stream and not the
 * process.
 */
import { connect, constants, type OutgoingHttpHeaders } from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";
import type { GrpcTransportOptions } from "@connectrpc/connect-node";
import { oneLine } from "@svc/contract";

/** The address of the control plane, its certificate authorities, and the timer. */
export interface ConnectionParts {
  /** Origin to connect to. */
  url: string;
  /** PEM of the authorities that may have signed its certificate; undefined: the system's. */
  ca: string | undefined;
  setTimer: (callback: () => void, delayMs: number) => () => void;
}

/** Time limit of the TCP and TLS handshakes together. */
const CONNECT_TIMEOUT_MS = 5000;
/** A connection that answers no ping is given up after the sum of these two, which is well below any lease. */
const PING_INTERVAL_MS = 2000;
const PING_TIMEOUT_MS = 3000;
/** Further wait for an answer after the ping's time is over. */
const LAST_LOOK_MS = 200;

type SessionManager = NonNullable<GrpcTransportOptions["sessionManager"]>;

/** One connection to the control plane. */
export class Connection implements SessionManager {
  readonly authority: string;
  readonly #parts: ConnectionParts;
  readonly #session;
  readonly #connected: Promise<void>;
  #failure: ConnectError | undefined;
  #cancelTimer = () => {};

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.authority = parts.url;
    const session = connect(parts.url, parts.ca === undefined ? {} : { ca: parts.ca });
    this.#session = session;
    this.#connected = new Promise((resolve, reject) => {
      session.once("connect", () => {
        this.#cancelTimer();
        this.#pingLater();
        resolve();
      });
      session.once("close", () => {
        this.#cancelTimer();
        reject(this.#failure ?? new ConnectError("the connection was closed", Code.Unavailable));
      });
    });
    // The connection may fail while no request waits for this promise.
    this.#connected.catch(() => {});
    session.on("error", (cause) => this.#fail(cause));
    this.#after(CONNECT_TIMEOUT_MS, () => this.#fail(new Error("timed out while connecting")));
  }

  /** The reason why the connection broke; undefined while it has not. */
  get failure(): ConnectError | undefined {
    return this.#failure;
  }

  /** Sends a request once the connection is up. Rejects with {@link failure} when it does not come up. */
  async request(method: string, path: string, headers: OutgoingHttpHeaders) {
    await this.#connected;
    return this.#session.request({ ...headers, ":method": method, ":path": path });
  }

  /** Does nothing: pings go on whatever is read, since a stream that receives may still be unable to send. */
  notifyResponseByteRead(): void {}

  /** Closes the connection at once, with its streams. */
  close(): void {
    this.#cancelTimer();
    if (!this.#session.destroyed) this.#session.destroy(undefined, constants.NGHTTP2_CANCEL);
  }

  #fail(cause: Error): void {
    this.#failure ??= new ConnectError(messageOf(cause), Code.Unavailable, undefined, undefined, cause);
    if (!this.#session.destroyed) this.#session.destroy(this.#failure, constants.NGHTTP2_CANCEL);
  }

  #pingLater(): void {
    this.#after(PING_INTERVAL_MS, () => {
      this.#after(PING_TIMEOUT_MS, () => {
        // If this process itself stood still, the answer lies unread in the socket: look once more.
        this.#after(LAST_LOOK_MS, () => this.#fail(new Error("the connection answers no more")));
      });
      // A session that is closing refuses the ping by throwing or with an error; its close event follows.
      try {
        this.#session.ping((error) => {
          this.#cancelTimer();
          if (error === null) this.#pingLater();
        });
      } catch (error) {
        this.#fail(error as Error);
      }
    });
  }

  #after(delayMs: number, callback: () => void): void {
    this.#cancelTimer = this.#parts.setTimer(callback, delayMs);
  }
}

/**
 * Returns the error on one line, with the system's code when the text lacks it. An AggregateError (several addresses)
 * has no text.
 */
function messageOf(cause: Error): string {
  const { code } = cause as NodeJS.ErrnoException;
  const inner = cause instanceof AggregateError ? (cause.errors[0] as Error | undefined) : undefined;
  const message = oneLine(cause.message || inner?.message || "the connection failed");
  return code === undefined || message.includes(code) ? message : `${message} (${code})`;
}
