/**
 * The HTTP/2 connection under a stream. Ours rather than the transport's own manager, because it must notice a network
 * that swallows everything within seconds, also while connecting, and because an error on it, whenever it comes, ends
 * the stream and not the process.
 */
import { connect, constants, type OutgoingHttpHeaders } from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";
import type { GrpcTransportOptions } from "@connectrpc/connect-node";

export interface ConnectionParts {
  /** Origin to connect to. */
  url: string;
  /** PEM of the authorities that may have signed its certificate; undefined: the system's. */
  ca: string | undefined;
  setTimer: (callback: () => void, delayMs: number) => () => void;
}

/** TCP and TLS must be up within this. */
const CONNECT_TIMEOUT_MS = 5000;
/** A connection that answers no ping is given up after their sum: well below any lease. */
const PING_INTERVAL_MS = 2000;
const PING_TIMEOUT_MS = 3000;
const LAST_LOOK_MS = 200;

type SessionManager = NonNullable<GrpcTransportOptions["sessionManager"]>;

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
    // Nobody waits for it when the connection fails before, or after, the request.
    this.#connected.catch(() => {});
    session.on("error", (cause) => this.#fail(cause));
    this.#after(CONNECT_TIMEOUT_MS, () => this.#fail(new Error("timed out while connecting")));
  }

  /** Why the connection broke, when it did. */
  get failure(): ConnectError | undefined {
    return this.#failure;
  }

  async request(method: string, path: string, headers: OutgoingHttpHeaders) {
    await this.#connected;
    return this.#session.request({ ...headers, ":method": method, ":path": path });
  }

  /** Pings go on whatever is read: a stream whose answers come in may still be unable to send. */
  notifyResponseByteRead(): void {}

  /** Ends it at once, with all that is on it. */
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
        // When it was this process that stood still, the answer lies in the socket: one more look before we give up.
        this.#after(LAST_LOOK_MS, () => this.#fail(new Error("the connection answers no more")));
      });
      // A session that is closing refuses the ping by throwing or by an error; its end comes by itself.
      try {
        this.#session.ping((error) => {
          this.#cancelTimer();
          if (error === null) this.#pingLater();
        });
      } catch (cause) {
        this.#fail(cause as Error);
      }
    });
  }

  #after(delayMs: number, callback: () => void): void {
    this.#cancelTimer = this.#parts.setTimer(callback, delayMs);
  }
}

/** One line, with the system's code when the text does not have it. An AggregateError (several addresses) has no text. */
function messageOf(cause: Error): string {
  const { code } = cause as NodeJS.ErrnoException;
  const inner = cause instanceof AggregateError ? (cause.errors[0] as Error | undefined) : undefined;
  const message = (cause.message || inner?.message || "the connection failed").replaceAll(/\s+/g, " ");
  return code === undefined || message.includes(code) ? message : `${message} (${code})`;
}
