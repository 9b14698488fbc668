/**
 * The session with the control plane: one stream at a time, connected again for as long as the agent lives. Decides when to
 * connect and reports how streams end; its parts deal with the content of the messages.
 *
 * States: connecting -> welcomed -> (lost | refused | drained) -> waiting -> connecting ..., until `close`.
 */
import { REFUSED_RETRY_MS, reconnectDelayMs } from "../network/reconnect-delay.ts";
import { BATCH_RESULTS_MAX, ResultSender } from "./result-sender.ts";
import type { SessionParts } from "./session-parts.ts";
import { RunnerStream } from "./stream.ts";
import { type StreamEnd, streamEndOf } from "./stream-end.ts";

/** Time that results wait for others to share their batch. Short, since a commit of the spool delivers many at once. */
const LINGER_MS = 5;
/** A stream that lived at least this long resets the backoff. */
const GOOD_STREAM_MS = 5000;
/** Time that the control plane has to close the stream after the Goodbye. */
const GOODBYE_TIMEOUT_MS = 1000;
/** Longest wait after a Drain; random, so that the agents of a stopping replica spread out. */
const DRAINED_DELAY_MAX_MS = 500;

/** Keeps the agent connected until it is closed. */
export class Session {
  readonly #parts: SessionParts;
  readonly #sender: ResultSender;
  #stream: RunnerStream | undefined;
  #isFirst = true;
  #isClosing = false;
  #newResults = 0;
  #cancelLinger: (() => void) | undefined;
  #endWait: (() => void) | undefined;
  #ended: Promise<void> | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#sender = new ResultSender(parts.queue);
  }

  /** True while there is a stream on which the control plane has sent its Welcome. */
  get isConnected(): boolean {
    return this.#stream?.isWelcomed === true;
  }

  /** Batches sent and not acknowledged. */
  get unacknowledgedBatches(): number {
    return this.#sender.unacknowledgedBatches;
  }

  /** Connects, and reconnects after each end, until `close`. Calling it again does nothing. */
  start(): void {
    this.#ended ??= this.#connectForever();
  }

  /** Announces further results in the queue. They leave within a few milliseconds, together. */
  resultsAvailable(count: number): void {
    this.#newResults += count;
    if (this.#newResults >= BATCH_RESULTS_MAX) this.sendResults();
    else this.#cancelLinger ??= this.#parts.setTimer(() => this.sendResults(), LINGER_MS);
  }

  /** Sends the queued results without waiting for more. */
  sendResults(): void {
    this.#newResults = 0;
    this.#cancelLinger?.();
    this.#cancelLinger = undefined;
    this.#stream?.pullResults();
  }

  /** Sends the slots that are to be given back. */
  giveBacksAvailable(): void {
    this.#stream?.pullGiveBacks();
  }

  /** Sends the reports about test runs. */
  testRunReportsAvailable(): void {
    this.#stream?.pullTestRunReports();
  }

  /** Sends a heartbeat at once, for example because draining has begun. */
  heartbeat(): void {
    if (this.isConnected) this.#stream?.heartbeat();
  }

  /** Says goodbye when connected, and ends the session for good. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#endWait?.();
    const cancel = this.#parts.setTimer(() => this.#stream?.abort("closing"), GOODBYE_TIMEOUT_MS);
    if (this.isConnected) this.#stream?.goodbye();
    else this.#stream?.abort("closing");
    await this.#ended;
    cancel();
  }

  async #connectForever(): Promise<void> {
    let failures = 0;
    while (!this.#isClosing) {
      const startedMs = this.#parts.localMs();
      const end = await this.#runStream();
      if (this.#isClosing) return;
      failures = this.#parts.localMs() - startedMs >= GOOD_STREAM_MS ? 1 : failures + 1;
      this.#parts.onEnd(end, this.#isFirst);
      await this.#wait(this.#delayAfter(end, failures));
    }
  }

  #delayAfter(end: StreamEnd, failures: number): number {
    const random = this.#parts.random();
    if (end.kind === "key_refused" || end.kind === "version_refused") return REFUSED_RETRY_MS;
    if (end.kind === "drained") return random * DRAINED_DELAY_MAX_MS;
    return reconnectDelayMs(failures, random);
  }

  /**
   * Runs one connection with its stream to the end. Each stream has a connection of its own: the address may lead to
   * another replica.
   */
  async #runStream(): Promise<StreamEnd> {
    const { url } = this.#parts;
    const connection = this.#parts.connect();
    const stream = new RunnerStream(
      {
        ...this.#parts,
        onWelcome: (welcome) => {
          this.#isFirst = false;
          this.#parts.onWelcome(welcome);
        },
      },
      this.#sender,
    );
    this.#stream = stream;
    try {
      await stream.run(connection.client, connection.headers);
      return stream.isDrained
        ? { kind: "drained", line: "the control plane asked to connect again" }
        : { kind: "lost", line: `the control plane at ${url} closed the session` };
    } catch (error) {
      return stream.isDrained
        ? { kind: "drained", line: "the control plane asked to connect again" }
        : streamEndOf({ error, failure: connection.failure, wasWelcomed: stream.isWelcomed }, url);
    } finally {
      this.#stream = undefined;
      connection.close();
    }
  }

  async #wait(delayMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.#parts.setTimer(resolve, delayMs);
      this.#endWait = () => {
        cancel();
        resolve();
      };
    });
    this.#endWait = undefined;
  }
}
