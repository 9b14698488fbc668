/** Reads what a server sends until it holds what is expected. */
import type net from "node:net";
import { StringDecoder } from "node:string_decoder";
import type { ResultDetail } from "@svc/contract";
import { storableText } from "../base/storable-text.ts";
import { describeTlsError } from "../connection/tls-errors.ts";
import { type ExpectedText, lackOf, unexpected } from "../measured-run/expected-text.ts";
import { codeOf, TargetFailure } from "../run/failures.ts";
import { monotonicUs } from "../run/phase-clock.ts";
import type { RunScope } from "../run/run-scope.ts";

/** Most bytes that are read. */
const BYTES_MAX = 64 * 1024;
/** Largest part of what was received that the evidence holds, characters. */
const EVIDENCE_CHARACTERS_MAX = 4_096;
/** Pauses between two searches, ms: a server that sends byte by byte must not have each byte searched. */
const PAUSE_FIRST_MS = 1;
const PAUSE_MAX_MS = 250;
const PAUSE_GROWTH = 1.5;

/** The circumstances of a reading. */
interface Reading {
  expected: ExpectedText;
  timeoutMs: number;
  team: string | undefined;
  scope: RunScope;
  detail: Partial<ResultDetail>;
}

/**
 * Reads until everything that is expected has come. What was received is put into `detail.tcpJson`.
 * @returns when the last byte that counts came, by monotonicUs
 * @throws TargetFailure when the connection ends, enough was read, or the time runs out before
 */
export async function receiveUntil(socket: net.Socket, reading: Reading): Promise<number> {
  const { expected, timeoutMs, team, scope, detail } = reading;
  const stream = new ReceivedText(socket, scope);
  let pauseMs = PAUSE_FIRST_MS;
  try {
    scope.clock.enter("ttfb");
    for (;;) {
      await stream.more(pauseMs);
      const { text, receivedAtUs, end } = stream;
      const lack = await lackOf(text, expected, team);
      if (lack === undefined) {
        scope.clock.leave(receivedAtUs);
        return receivedAtUs;
      }
      pauseMs = Math.min(pauseMs * PAUSE_GROWTH, PAUSE_MAX_MS);
      if (end !== undefined) throw unexpected(`${end}, and ${lack}`);
    }
  } catch (error) {
    scope.clock.leave();
    // A server that said something else than expected, and waits, did answer.
    if (error === scope.signal.reason && error instanceof TargetFailure && stream.bytes > 0) {
      const lack = await lackOf(stream.text, expected, team);
      throw unexpected(
        `within ${timeoutMs} ms ${stream.bytes} bytes came, and ${lack ?? "their search took too long"}`,
      );
    }
    throw error;
  } finally {
    stream.leave();
    const received = storableText(stream.text.slice(0, EVIDENCE_CHARACTERS_MAX));
    detail.tcpJson = { received, receivedBytes: stream.bytes };
  }
}

/** The text that a connection has brought so far. */
class ReceivedText {
  text = "";
  bytes = 0;
  /** When the newest byte came, by monotonicUs. */
  receivedAtUs = monotonicUs();
  /** Says why nothing more will come; undefined: more may come. */
  end: string | undefined;
  #failure: unknown;
  #hasNews = false;
  #wake: (() => void) | undefined;
  readonly #socket: net.Socket;
  readonly #scope: RunScope;
  readonly #decoder = new StringDecoder("utf8");

  constructor(socket: net.Socket, scope: RunScope) {
    this.#socket = socket;
    this.#scope = scope;
    socket
      .on("data", this.#onData)
      .on("end", this.#onEnd)
      .on("close", this.#onEnd)
      .on("error", this.#onError);
    scope.signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /**
   * Waits until more has come than at the call before, or nothing more will.
   * @param pauseMs how long whatever comes behind the first news is waited for
   */
  async more(pauseMs: number): Promise<void> {
    await this.#news();
    if (this.end === undefined && pauseMs > PAUSE_FIRST_MS) await this.#pause(pauseMs);
    const hadNews = this.#hasNews;
    this.#hasNews = false;
    // What came before a connection broke counts.
    if (this.#failure !== undefined && !hadNews) throw this.#failure;
  }

  leave(): void {
    this.#socket.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onEnd);
    this.#socket.pause();
    this.#scope.signal.removeEventListener("abort", this.#onAbort);
  }

  async #news(): Promise<void> {
    while (!this.#hasNews && this.end === undefined && this.#failure === undefined)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
  }

  async #pause(pauseMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, pauseMs);
      this.#wake = () => {
        if (this.end !== undefined || this.#failure !== undefined) resolve();
      };
    });
    clearTimeout(timer);
  }

  readonly #onData = (data: Buffer) => {
    if (this.end !== undefined) return;
    if (this.bytes === 0) this.#scope.clock.enter("transfer");
    const kept = data.subarray(0, BYTES_MAX - this.bytes);
    this.bytes += kept.length;
    this.text += this.#decoder.write(kept);
    this.receivedAtUs = monotonicUs();
    this.#hasNews = true;
    if (this.bytes >= BYTES_MAX) {
      this.end = `the first ${BYTES_MAX} bytes have come`;
      this.#socket.pause();
    }
    this.#wake?.();
  };

  readonly #onEnd = () => {
    this.end ??= "the server closed the connection";
    this.#wake?.();
  };

  readonly #onError = (error: Error) => {
    const isTls = codeOf(error)?.startsWith("ERR_SSL") === true;
    const { host } = this.#scope.url;
    this.#failure ??= new TargetFailure(
      {
        status: "error",
        category: isTls ? "tls" : "connect",
        message: isTls
          ? `the TLS connection to ${host} broke: ${describeTlsError(error)}`
          : `the connection to ${host} broke (${codeOf(error) ?? error.message})`,
        isNetworkError: true,
      },
      { cause: error },
    );
    this.#wake?.();
  };

  readonly #onAbort = () => {
    this.#failure ??= this.#scope.signal.reason;
    this.#wake?.();
  };
}
