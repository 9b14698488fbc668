/**
 * Reads the bodies of a server's answers for the SDK, whole or as event streams. Counts their bytes over the whole run,
 * and ends the clock's phase when the newest answer ends.
 */
import { textPreview } from "../base/storable-text.ts";
import { ResponseBody } from "../http/body.ts";
import type { HttpRequest } from "../http/request.ts";
import { beginResponse, type HttpResponse, keepChunk } from "../http/response.ts";
import { RunnerFailure, type TargetFailure } from "../run/failures.ts";
import { type RunScope, untilAborted } from "../run/run-scope.ts";
import { brokenAnswer, stepOf, type UnusableAnswer, unusableAnswer } from "./answer-failures.ts";
import type { Incoming } from "./channel.ts";
import { EventLines } from "./event-lines.ts";
import { discard, isOk, mediaType, sdkHeaders } from "./incoming.ts";
import { MESSAGE_BYTES_MAX, RUN_BYTES_MAX, STREAM_LINES_MAX } from "./limits.ts";
import { excessOf } from "./message-width.ts";
import { watchStream } from "./watch-stream.ts";

/**
 * Called when an answer comes as an event stream. The function it returns is called once all events were handed over,
 * with the failure if the stream broke before its end; the SDK may then resume it.
 */
export type OnStream = () => (failure: AnswerFailure | undefined) => void;

/** The failure of reading an answer: the server's, or this runner's. */
export type AnswerFailure = TargetFailure | RunnerFailure;

/** Reads the answers of one run. An answer that the SDK must not see becomes a TargetFailure. */
export class AnswerReader {
  readonly #scope: RunScope;
  readonly #onStream: OnStream;
  #bytes = 0;
  /** Counts answers, so that the late end of a stream does not stop the clock of the next request. */
  #turn = 0;

  constructor(scope: RunScope, onStream: OnStream) {
    this.#scope = scope;
    this.#onStream = onStream;
  }

  /** Notes that the head of an answer arrived and its body begins. */
  begin(): void {
    this.#scope.clock.enter("transfer");
    this.#turn++;
  }

  /**
   * Reads an answer to its end. Even the body of a refusal is read, since it often gives the reason.
   * @throws TargetFailure or RunnerFailure when the SDK must not see the answer
   */
  async readWhole(request: HttpRequest, incoming: Incoming): Promise<Response> {
    const answer = await this.#receive(request, incoming);
    const body = new ResponseBody(answer, this.#scope.bodyClaim);
    await body.prepare();
    const problem = this.#problemOf(request, incoming, body);
    if (problem) throw unusableAnswer(this.#scope, { ...problem, response: answer });
    const excess = body.wasCut ? `more than ${MESSAGE_BYTES_MAX} bytes` : excessOf(body.bytes());
    if (excess !== undefined)
      throw unusableAnswer(this.#scope, { message: this.#tooMuch(excess), response: answer });
    const isEmpty = incoming.httpStatusCode === 204 || incoming.httpStatusCode === 205;
    return new Response(isEmpty ? null : new Uint8Array(body.bytes()), {
      status: incoming.httpStatusCode,
      headers: sdkHeaders(incoming),
    });
  }

  /**
   * Hands an answer on as a stream of events.
   * @throws TargetFailure when the stream is compressed, which the request did not allow
   */
  readStream(incoming: Incoming): Response {
    const coding = incoming.headers.get("content-encoding") ?? "identity";
    if (coding !== "identity") {
      discard(incoming);
      throw unusableAnswer(this.#scope, {
        message: `answered ${this.#step} with an event stream in the content coding ${textPreview(coding)}, which it was asked not to use`,
      });
    }
    let failure: AnswerFailure | undefined;
    const stream = this.#eventsOf(incoming, (broken) => {
      failure = broken;
    });
    const onRead = this.#onStream();
    watchStream(stream, {
      onRead: () => onRead(failure),
      judge: (item) => {
        const { data } = item as { data?: unknown };
        const excess = typeof data === "string" ? excessOf(Buffer.from(data)) : undefined;
        if (excess === undefined) return;
        failure = unusableAnswer(this.#scope, { message: this.#tooMuch(excess) });
        onRead(failure);
        throw failure;
      },
    });
    return new Response(stream, { status: incoming.httpStatusCode, headers: sdkHeaders(incoming) });
  }

  #problemOf(request: HttpRequest, incoming: Incoming, body: ResponseBody): UnusableAnswer | undefined {
    const { httpStatusCode, headers } = incoming;
    if (!isOk(incoming)) {
      const text = textPreview(body.textOrNothing()).trim();
      const reason = text === "" ? "" : `: ${text}`;
      return { category: "http", message: `answered ${this.#step} with HTTP ${httpStatusCode}${reason}` };
    }
    // The answer to a notification means nothing. A request is answered with JSON here; event streams are handed on by
    // readStream.
    const isUnexpected = httpStatusCode !== 202 && mediaType(incoming) !== "application/json";
    if (!isUnexpected || !asksForAnswer(request)) return undefined;
    const type = JSON.stringify(textPreview(headers.get("content-type") ?? ""));
    return {
      message: `answered ${this.#step} with the content type ${type}, not with application/json or text/event-stream`,
    };
  }

  #receive(request: HttpRequest, { httpStatusCode, headers, body }: Incoming): Promise<HttpResponse> {
    const answer = beginResponse(request, { httpStatusCode, headers, tls: this.#scope.tls });
    const turn = this.#turn;
    const received = new Promise<HttpResponse>((resolve, reject) => {
      body.on("data", (chunk: Buffer) => {
        const tooMuch = this.#count(chunk);
        if (!tooMuch) return keepChunk(answer, chunk, { keepsBody: true });
        reject(tooMuch);
        body.destroy();
      });
      body.on("end", () => resolve(answer));
      body.on("error", (cause) => reject(brokenAnswer(this.#scope, { cause, response: answer })));
      body.on("close", () => reject(brokenAnswer(this.#scope, { response: answer })));
    });
    return untilAborted(received, this.#scope.signal).finally(() => this.#end(turn));
  }

  #eventsOf({ body }: Incoming, onEnd: (failure?: AnswerFailure) => void): ReadableStream<Uint8Array> {
    const turn = this.#turn;
    const lines = new EventLines();
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        const end = (broken?: AnswerFailure) => {
          if (body.listenerCount("data") === 0) return;
          body.removeAllListeners("data");
          this.#end(turn);
          onEnd(broken);
          if (broken) controller.error(broken);
          else controller.close();
          body.destroy();
        };
        body.on("data", (chunk: Buffer) => {
          const tooMuch = this.#count(chunk);
          if (tooMuch) end(tooMuch);
          else controller.enqueue(lines.uniform(chunk));
          if (lines.count > STREAM_LINES_MAX) end(this.#tooManyLines());
        });
        body.on("end", () => end());
        body.on("error", (cause) => end(brokenAnswer(this.#scope, { cause })));
        body.on("close", () => end(brokenAnswer(this.#scope, {})));
      },
      cancel: () => {
        body.removeAllListeners("data");
        body.destroy();
      },
    });
  }

  /**
   * Counts a piece of an answer.
   * @returns the failure when the run has then received more than it may, or this runner has no memory for the piece
   */
  #count(chunk: Buffer): AnswerFailure | undefined {
    this.#bytes += chunk.length;
    if (this.#bytes > RUN_BYTES_MAX)
      return unusableAnswer(this.#scope, {
        message: `sent more than ${RUN_BYTES_MAX} bytes; the last of them as answer to ${this.#step}`,
      });
    try {
      this.#scope.bodyClaim?.reserve(chunk.length);
      return undefined;
    } catch (error) {
      if (error instanceof RunnerFailure) return error;
      throw error;
    }
  }

  #tooManyLines(): AnswerFailure {
    return unusableAnswer(this.#scope, {
      message: `answered ${this.#step} with an event stream of more than ${STREAM_LINES_MAX} lines`,
    });
  }

  #tooMuch(excess: string): string {
    return `answered ${this.#step} with a message of ${excess}`;
  }

  #end(turn: number): void {
    if (turn === this.#turn) this.#scope.clock.leave();
  }

  get #step(): string {
    return stepOf(this.#scope);
  }
}

/** True when a message is a request, not a notification or an answer. */
function asksForAnswer({ body }: HttpRequest): boolean {
  const message = body && (JSON.parse(body.toString()) as object);
  return message !== undefined && "id" in message && "method" in message;
}
