/**
 * The messages that leave over one stream, in order: single messages first, then results as the window allows. The transport
 * pulls them, so that a slow network holds back the reading of the spool and nothing piles up in memory.
 */
import { create } from "@bufbuild/protobuf";
import { type SessionRequest, SessionRequestSchema } from "@svc/proto/svc/runner/v1/runner_pb";
import type { ResultSender } from "./result-sender.ts";

/** A message to the control plane, of any type. */
export type RequestMessage = NonNullable<SessionRequest["message"]>;

/** One stream's outgoing messages, as an async iterable for the transport. */
export class Outgoing {
  readonly #sender: ResultSender;
  #messages: RequestMessage[] = [];
  #mayReadResults = false;
  #isEnded = false;
  #wake: (() => void) | undefined;

  constructor(sender: ResultSender) {
    this.#sender = sender;
  }

  /** Sends a message ahead of any results. */
  push(message: RequestMessage): void {
    // A heartbeat that could not leave yet is out of date.
    if (message.case === "heartbeat")
      this.#messages = this.#messages.filter((one) => one.case !== "heartbeat");
    this.#messages.push(message);
    this.#wakeUp();
  }

  /** Sends results, as many as there are and the window allows. */
  pullResults(): void {
    this.#mayReadResults = true;
    this.#wakeUp();
  }

  /** Half-closes the stream after the queued messages. Results not sent yet stay in the spool. */
  end(): void {
    this.#isEnded = true;
    this.#wakeUp();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SessionRequest> {
    for (;;) {
      const message = this.#messages.shift() ?? this.#nextBatch();
      if (message !== undefined) yield create(SessionRequestSchema, { message });
      else if (this.#isEnded) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #nextBatch(): RequestMessage | undefined {
    if (!this.#mayReadResults || this.#isEnded) return undefined;
    const batch = this.#sender.next();
    if (batch === undefined) {
      this.#mayReadResults = false;
      return undefined;
    }
    return { case: "resultBatch", value: batch };
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
