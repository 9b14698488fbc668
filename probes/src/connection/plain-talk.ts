/** The talk over a plain connection before TLS begins. Bounded, since the other side may send anything. */
import type net from "node:net";
import type { StopSignal } from "@svc/egress";
import { textStart } from "../base/storable-text.ts";
import { TargetFailure } from "../run/failures.ts";

/** Most bytes that a server may send before TLS begins: greetings and lists of abilities are far shorter. */
const BYTES_MAX = 16 * 1024;

/** Reads from a plain connection, and writes to it, until TLS takes it over. */
export class PlainTalk {
  readonly #socket: net.Socket;
  readonly #host: string;
  readonly #signal: StopSignal;
  #unread = "";
  #bytes = 0;
  #failure: unknown;
  #wake: (() => void) | undefined;

  /** @param host names the server in messages */
  constructor(socket: net.Socket, host: string, signal: StopSignal) {
    this.#socket = socket;
    this.#host = host;
    this.#signal = signal;
    socket.on("data", this.#onData);
    socket.on("end", this.#onEnd);
    socket.on("close", this.#onEnd);
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Sends a text as it is. */
  write(text: string | Buffer): void {
    this.#socket.write(text);
  }

  /**
   * Returns the next line, without its end.
   * @throws TargetFailure when the connection ends or too much comes, or the signal's reason
   */
  async line(): Promise<string> {
    for (;;) {
      const end = this.#unread.indexOf("\n");
      if (end >= 0) return this.#remove(end + 1).replace(/\r?\n$/, "");
      await this.#more();
    }
  }

  /** Returns the next byte as a character of Latin-1. Throws as `line` does. */
  async character(): Promise<string> {
    while (this.#unread === "") await this.#more();
    return this.#remove(1);
  }

  /**
   * Hands the connection over to TLS.
   * @throws TargetFailure when the server sent more than it was asked for: that came unprotected, and must not be read as if it had
   * come over TLS
   */
  end(): void {
    this.leave();
    if (this.#unread !== "") throw this.refusal(`it sent "${textStart(this.#unread, 100)}" before TLS began`);
  }

  /** Stops reading. Calling it twice is harmless. */
  leave(): void {
    this.#socket.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onEnd);
    this.#socket.pause();
    this.#signal.removeEventListener("abort", this.#onAbort);
  }

  /** Returns the failure of a server that does not go along. @param why completes "the server ...:" */
  refusal(why: string): TargetFailure {
    return new TargetFailure({
      status: "error",
      category: "protocol",
      message: `${this.#host} did not begin TLS: ${why}`,
    });
  }

  #remove(length: number): string {
    const removed = this.#unread.slice(0, length);
    this.#unread = this.#unread.slice(length);
    return removed;
  }

  async #more(): Promise<void> {
    const length = this.#unread.length;
    while (this.#unread.length === length) {
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  readonly #onData = (data: Buffer) => {
    this.#bytes += data.length;
    if (this.#bytes > BYTES_MAX) this.#fail(this.refusal(`it sent more than ${BYTES_MAX} bytes first`));
    else this.#unread += data.toString("latin1");
    this.#wake?.();
  };

  readonly #onEnd = () => this.#fail(this.refusal("it closed the connection"));

  readonly #onAbort = () => this.#fail(this.#signal.reason);

  #fail(failure: unknown): void {
    this.#failure ??= failure;
    this.#wake?.();
  }
}
