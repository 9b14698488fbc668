/** The messages of a WebSocket connection, bounded in size and number, whatever the server sends. */
import type net from "node:net";
import type { ResultDetail } from "@svc/contract";
import { type RawData, WebSocket } from "ws";
import { storableText, textPreview } from "../base/storable-text.ts";
import { codeOf, TargetFailure } from "../run/failures.ts";
import { monotonicUs } from "../run/phase-clock.ts";
import type { RunScope } from "../run/run-scope.ts";

/** Largest message that is read, bytes. */
const MESSAGE_BYTES_MAX = 64 * 1024;
/** Most fragments of a message. */
const FRAGMENTS_MAX = 1_024;
/** Most messages that are read. */
const MESSAGES_MAX = 100;
/** Most pings and pongs that are passed over. */
const PINGS_MAX = 1_000;
/** Largest part of the messages that the evidence holds, characters. */
const EVIDENCE_CHARACTERS_MAX = 4_096;
/** How long the server may take to answer the end of the connection, after the run. */
const CLOSE_TIMEOUT_MS = 1_000;

/** A message as text, and when it came, by monotonicUs. */
interface Message {
  text: string;
  receivedAtUs: number;
}

type Evidence = NonNullable<ResultDetail["websocketJson"]>;

/** The handshake's headers and the subprotocols that are offered. */
interface Handshake {
  headers: Readonly<Record<string, string>>;
  subprotocols: readonly string[];
}

/** A WebSocket connection over a socket that is open. Owns the socket. */
export class MessageStream {
  readonly #socket: net.Socket;
  readonly #scope: RunScope;
  readonly #webSocket: WebSocket;
  readonly #queue: Message[] = [];
  readonly #evidence: Evidence = { messages: [], receivedMessages: 0, receivedBytes: 0 };
  #evidenceCharacters = 0;
  #pings = 0;
  #isOpen = false;
  /** Says why nothing more will come; undefined: more may come. */
  #end: string | undefined;
  #failure: unknown;
  #wake: (() => void) | undefined;

  /** Begins the handshake. */
  constructor(socket: net.Socket, { headers, subprotocols }: Handshake, scope: RunScope) {
    this.#socket = socket;
    this.#scope = scope;
    scope.clock.enter("ttfb");
    this.#webSocket = new WebSocket(scope.url, [...subprotocols], {
      createConnection: () => socket,
      headers: { ...headers },
      perMessageDeflate: false,
      followRedirects: false,
      maxPayload: MESSAGE_BYTES_MAX,
      maxFragments: FRAGMENTS_MAX,
      maxBufferedChunks: 4_096,
      closeTimeout: CLOSE_TIMEOUT_MS,
    } as WebSocket.ClientOptions);
    this.#webSocket
      .on("upgrade", ({ statusCode }) => {
        this.#answered(statusCode);
      })
      .on("unexpected-response", (request, { statusCode = 0 }) => {
        this.#answered(statusCode);
        this.#fail(
          new TargetFailure({
            status: "failure",
            category: "http",
            message: `${scope.url.host} answered the handshake with HTTP status ${statusCode}, not with 101`,
          }),
        );
        request.destroy();
      })
      .on("open", () => {
        const { protocol } = this.#webSocket;
        if (protocol !== "") this.#evidence.subprotocol = protocol;
        this.#isOpen = true;
        this.#wake?.();
      })
      .on("message", (data) => this.#accept(data))
      .on("ping", () => this.#count())
      .on("pong", () => this.#count())
      .on("error", (error) => this.#fail(this.#failureOf(error)))
      .on("close", (code, reason) => {
        if (code !== 1006) this.#evidence.closeCode = code;
        const words = storableText(reason.toString("utf8"));
        this.#end ??=
          code === 1006
            ? "the connection ended without a close"
            : `the server closed the connection (${code}${words === "" ? "" : `: ${words}`})`;
        this.#wake?.();
      });
    // The library tells nothing of a connection that breaks once it is open.
    socket.on("error", (error) => this.#fail(this.#failureOf(error)));
    scope.signal.addEventListener("abort", this.#onAbort, { once: true });
    if (scope.signal.aborted) this.#onAbort();
  }

  /**
   * Waits until the handshake is done.
   * @throws TargetFailure, or the signal's reason
   */
  async opened(): Promise<void> {
    await this.#until(() => this.#isOpen || this.#end !== undefined);
    if (!this.#isOpen) throw this.#protocolFailure("broke the handshake off");
  }

  /** Sends a text message. Failures show at the next reading. */
  send(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.#webSocket.send(text, () => resolve());
      // A server that reads nothing holds the sending up.
      this.#scope.signal.addEventListener("abort", resolve, { once: true });
    });
  }

  /**
   * Returns the next message, or why there will be none.
   * @throws TargetFailure, or the signal's reason
   */
  async next(): Promise<Message | string> {
    await this.#until(() => this.#queue.length > 0 || this.#end !== undefined);
    const message = this.#queue.shift();
    if (message) return message;
    if (this.#failure !== undefined) throw this.#failure;
    return this.#end as string;
  }

  /** Returns what came so far. */
  evidence(): Evidence {
    return this.#evidence;
  }

  /** Closes the connection, in the way of the protocol where it is open. The run does not wait for it. */
  close(): void {
    this.#scope.signal.removeEventListener("abort", this.#onAbort);
    this.#end ??= "the run has ended";
    if (this.#webSocket.readyState === WebSocket.OPEN && this.#failure === undefined) {
      this.#webSocket.resume();
      this.#webSocket.close(1000);
      return;
    }
    this.#webSocket.terminate();
    this.#socket.destroy();
  }

  #count(): void {
    if (++this.#pings > PINGS_MAX)
      this.#fail(this.#protocolFailure(`sent more than ${PINGS_MAX} pings and pongs`));
  }

  #answered(statusCode: number | undefined): void {
    if (statusCode !== undefined) this.#evidence.httpStatusCode = statusCode;
    this.#scope.clock.enter("transfer");
  }

  #accept(data: RawData): void {
    if (this.#end !== undefined) return;
    const bytes = data as Buffer;
    const text = bytes.toString("utf8");
    this.#evidence.receivedMessages++;
    this.#evidence.receivedBytes += bytes.length;
    const kept = text.slice(0, EVIDENCE_CHARACTERS_MAX - this.#evidenceCharacters);
    if (this.#evidenceCharacters < EVIDENCE_CHARACTERS_MAX) this.#evidence.messages.push(storableText(kept));
    this.#evidenceCharacters += kept.length;
    this.#queue.push({ text, receivedAtUs: monotonicUs() });
    if (this.#evidence.receivedMessages >= MESSAGES_MAX) {
      this.#end = `the first ${MESSAGES_MAX} messages have come`;
      this.#webSocket.pause();
    }
    this.#wake?.();
  }

  /** Waits for a state. What came before a failure counts. */
  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #fail(failure: unknown): void {
    this.#failure ??= failure;
    this.#wake?.();
  }

  readonly #onAbort = () => this.#fail(this.#scope.signal.reason);

  #protocolFailure(words: string, cause?: unknown): TargetFailure {
    const message = `${this.#scope.url.host} ${words}`;
    return new TargetFailure({ status: "error", category: "protocol", message }, { cause });
  }

  #failureOf(error: Error): TargetFailure {
    const code = codeOf(error);
    if (code === undefined || /^(?:WS_ERR|HPE)_/.test(code))
      return this.#protocolFailure(
        `broke the ${this.#isOpen ? "protocol" : "handshake"}: ${textPreview(error.message)}`,
        error,
      );
    return new TargetFailure(
      {
        status: "error",
        category: code.startsWith("ERR_SSL") ? "tls" : "connect",
        message: `the connection to ${this.#scope.url.host} broke (${code})`,
        isNetworkError: true,
      },
      { cause: error },
    );
  }
}
