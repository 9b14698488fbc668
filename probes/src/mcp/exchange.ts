/**
 * The way on which the SDK's transport reaches the server: a `fetch` over connections that the egress policy has
 * passed, with redirects followed by hand, sizes bounded and phases timed. An unusable answer never reaches the SDK
 * but ends the run.
 */
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Auth } from "@svc/contract";
import { textPreview } from "../base/storable-text.ts";
import { ResponseBody } from "../http/body.ts";
import { HttpFailure } from "../http/http-failure.ts";
import { nextRequest, type Redirect } from "../http/redirects.ts";
import { firstRequest, type HttpRequest } from "../http/request.ts";
import { BODY_BYTES_MAX, type HttpResponse, keepChunk } from "../http/response.ts";
import { RunnerFailure, type TargetFailure } from "../run/failures.ts";
import { type RunScope, untilAborted } from "../run/run-scope.ts";
import { type Channel, type Incoming, openChannel } from "./channel.ts";
import { REDIRECTS_MAX, REQUESTS_MAX, RUN_BYTES_MAX } from "./limits.ts";

export interface ExchangeOptions {
  endpoint: string;
  auth: Auth | undefined;
  userAgent: string;
  traceparent: string;
}

/**
 * Called when an answer comes as an event stream. The function it returns is called once all events were handed over,
 * with the failure if the stream broke before its end; the SDK may then resume it.
 */
export type OnStream = () => (failure: TargetFailure | RunnerFailure | undefined) => void;

/** An answer whose body was read. */
type Answer = HttpResponse;

export class McpExchange {
  readonly #options: ExchangeOptions;
  readonly #scope: RunScope;
  readonly #onStream: OnStream;
  readonly #channels = new Map<string, Channel>();
  #requests = 0;
  #bytes = 0;
  /** Counts answers, so that the late end of a stream does not stop the clock of the next request. */
  #turn = 0;
  /** HTTP status of the newest answer. */
  httpStatusCode: number | undefined;

  constructor(options: ExchangeOptions, scope: RunScope, onStream: OnStream) {
    this.#options = options;
    this.#scope = scope;
    this.#onStream = onStream;
  }

  /**
   * Sends a request of the SDK's transport. Resolves only to answers with a 2xx status; rejects with a TargetFailure
   * or RunnerFailure.
   */
  readonly fetch: FetchLike = async (_url, init = {}) => {
    const method = init.method ?? "GET";
    const headers = Object.fromEntries(new Headers(init.headers as Record<string, string>));
    // The SDK asks for a stream of unsolicited messages. A run is over too soon to need it, and servers may decline
    // it.
    if (method === "GET" && headers["last-event-id"] === undefined)
      return new Response(null, { status: 405 });
    const body = typeof init.body === "string" ? init.body : undefined;
    const { request, incoming } = await this.#send(
      this.#requestOf(method, headers, body, this.#options.auth),
    );
    this.httpStatusCode = incoming.httpStatusCode;
    if (method === "DELETE") {
      discard(incoming);
      return new Response(null, { status: 200 });
    }
    const isStream = mediaType(incoming) === "text/event-stream";
    if (isOk(incoming) && isStream && incoming.httpStatusCode !== 204) return this.#streamOf(incoming);
    return await this.#wholeOf(request, incoming);
  };

  /**
   * Sends a JSON-RPC request without the check's credentials.
   * @returns the HTTP status of the answer, whose body is not read
   */
  async postWithoutCredentials(message: unknown): Promise<number> {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const request = this.#requestOf("POST", headers, JSON.stringify(message), undefined);
    const { incoming } = await this.#send(request, { takesRedirects: true });
    discard(incoming);
    return incoming.httpStatusCode;
  }

  /** Closes all connections. Calling it twice is harmless. */
  close(): void {
    for (const channel of this.#channels.values()) channel.close();
    this.#channels.clear();
  }

  #requestOf(
    method: string,
    headers: Record<string, string>,
    body: string | undefined,
    auth: Auth | undefined,
  ): HttpRequest {
    const { endpoint, userAgent, traceparent } = this.#options;
    const url = new URL(endpoint);
    if (!auth && this.#options.auth) url.username = url.password = "";
    const request = firstRequest(
      // Compressed event streams would come late, since their compressor waits for more data.
      {
        url: url.href,
        method: "POST",
        headers: { ...headers, "accept-encoding": "identity", traceparent },
        auth,
      },
      { userAgent },
    );
    return { ...request, method, body: body === undefined ? undefined : Buffer.from(body) };
  }

  /**
   * Sends a request and follows redirects.
   * @param options.takesRedirects a redirect that can't be followed is an answer like any other
   * @returns the first answer that is not followed further; its body is not read yet
   */
  async #send(
    first: HttpRequest,
    { takesRedirects = false } = {},
  ): Promise<{ request: HttpRequest; incoming: Incoming }> {
    let request = first;
    for (let followed = 0; ; followed++) {
      if (++this.#requests > REQUESTS_MAX)
        throw this.#unusable(`kept the run busy with more than ${REQUESTS_MAX} requests`);
      this.#scope.url = request.url;
      const incoming = await this.#sendOnce(request);
      const next = nextRequest(request, incoming.httpStatusCode, incoming.headers.get("location"));
      if (next.kind === "none") return { request, incoming };
      const refusal = redirectRefusal(request, next, followed);
      if (refusal !== undefined && takesRedirects) return { request, incoming };
      discard(incoming);
      if (refusal !== undefined)
        throw this.#unusable(
          `answered ${this.#step} with HTTP ${incoming.httpStatusCode}: ${refusal}`,
          "http",
        );
      request = (next as { request: HttpRequest }).request;
    }
  }

  async #sendOnce(request: HttpRequest): Promise<Incoming> {
    const { origin } = request.url;
    let channel = this.#channels.get(origin);
    if (!channel) {
      channel = await openChannel(request.url, this.#scope);
      this.#channels.set(origin, channel);
    }
    this.#scope.clock.enter("ttfb");
    const incoming = await untilAborted(channel.send(request), this.#scope.signal);
    this.#scope.clock.enter("transfer");
    this.#turn++;
    return incoming;
  }

  async #wholeOf(request: HttpRequest, incoming: Incoming): Promise<Response> {
    const answer = await this.#read(request, incoming);
    const body = new ResponseBody(answer, this.#scope.bodyClaim);
    await body.prepare();
    if (!isOk(incoming)) {
      const text = textPreview(body.textOrNothing()).trim();
      throw this.#unusable(
        `answered ${this.#step} with HTTP ${incoming.httpStatusCode}${text === "" ? "" : `: ${text}`}`,
        "http",
        answer,
      );
    }
    // The answer to a notification means nothing. A request is answered with JSON here; event streams don't come this
    // way.
    const isUnexpected = incoming.httpStatusCode !== 202 && mediaType(incoming) !== "application/json";
    if (isUnexpected && asksForAnswer(request))
      throw this.#unusable(
        `answered ${this.#step} with the content type ${JSON.stringify(textPreview(incoming.headers.get("content-type") ?? ""))}, not with application/json or text/event-stream`,
        "protocol",
        answer,
      );
    if (body.wasCut || answer.wireBytes > BODY_BYTES_MAX)
      throw this.#unusable(
        `answered ${this.#step} with more than ${BODY_BYTES_MAX} bytes`,
        "protocol",
        answer,
      );
    const isEmpty = incoming.httpStatusCode === 204 || incoming.httpStatusCode === 205;
    return new Response(isEmpty ? null : new Uint8Array(body.bytes()), {
      status: incoming.httpStatusCode,
      headers: headersOf(incoming),
    });
  }

  /** Reads the body of an answer, even of a refusal, which often gives the reason. */
  #read(request: HttpRequest, incoming: Incoming): Promise<Answer> {
    const { signal } = this.#scope;
    const { httpStatusCode, headers, body } = incoming;
    const answer: Answer = {
      url: request.url,
      method: request.method,
      httpStatusCode,
      headers,
      chunks: [],
      wireBytes: 0,
      joinedChunks: 0,
      wasCut: false,
      tls: this.#scope.tls,
    };
    const turn = this.#turn;
    const read = new Promise<Answer>((resolve, reject) => {
      body.on("data", (chunk: Buffer) => {
        const tooMuch = this.#count(chunk);
        if (!tooMuch) return keepChunk(answer, chunk, { keepsBody: true });
        reject(tooMuch);
        body.destroy();
      });
      body.on("end", () => resolve(answer));
      body.on("error", (error) => reject(this.#brokenOff(error, answer)));
      body.on("close", () => reject(this.#brokenOff(undefined, answer)));
    });
    return untilAborted(read, signal).finally(() => this.#leave(turn));
  }

  #streamOf(incoming: Incoming): Response {
    const { body, headers } = incoming;
    const coding = headers.get("content-encoding") ?? "identity";
    if (coding !== "identity") {
      discard(incoming);
      throw this.#unusable(
        `answered ${this.#step} with an event stream in the content coding ${textPreview(coding)}, which it was asked not to use`,
      );
    }
    const turn = this.#turn;
    let failure: TargetFailure | RunnerFailure | undefined;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const end = (broken?: TargetFailure | RunnerFailure) => {
          if (body.listenerCount("data") === 0) return;
          body.removeAllListeners("data");
          this.#leave(turn);
          failure = broken;
          if (broken) controller.error(broken);
          else controller.close();
          body.destroy();
        };
        body.on("data", (chunk: Buffer) => {
          const tooMuch = this.#count(chunk);
          if (tooMuch) end(tooMuch);
          else controller.enqueue(chunk);
        });
        body.on("end", () => end());
        body.on("error", (error) => end(this.#brokenOff(error, undefined)));
        body.on("close", () => end(this.#brokenOff(undefined, undefined)));
      },
      cancel: () => {
        body.removeAllListeners("data");
        body.destroy();
      },
    });
    const onRead = this.#onStream();
    tellWhenRead(stream, () => onRead(failure));
    return new Response(stream, { status: incoming.httpStatusCode, headers: headersOf(incoming) });
  }

  /**
   * Counts a piece of an answer.
   * @returns the failure when the piece is more than a run takes in, or than this runner has memory for
   */
  #count(chunk: Buffer): TargetFailure | RunnerFailure | undefined {
    this.#bytes += chunk.length;
    if (this.#bytes > RUN_BYTES_MAX)
      return this.#unusable(
        `sent more than ${RUN_BYTES_MAX} bytes; the last of them as answer to ${this.#step}`,
      );
    try {
      this.#scope.bodyClaim?.take(chunk.length);
      return undefined;
    } catch (error) {
      if (error instanceof RunnerFailure) return error;
      throw error;
    }
  }

  #leave(turn: number): void {
    if (turn === this.#turn) this.#scope.clock.leave();
  }

  get #step(): string {
    return this.#scope.step ?? "the request";
  }

  #brokenOff(error: Error | undefined, response: Answer | undefined): TargetFailure {
    return new HttpFailure(
      {
        status: "error",
        category: "connect",
        message: `${this.#scope.url.host} closed the connection before the end of its answer to ${this.#step}`,
        isNetworkError: true,
        response,
      },
      { cause: error },
    );
  }

  #unusable(what: string, category: "http" | "protocol" = "protocol", response?: Answer): TargetFailure {
    const message = `${this.#scope.url.host} ${what}`;
    return new HttpFailure({ status: "error", category, message, response });
  }
}

/**
 * Calls back once the SDK has handled the last event of a stream. The SDK does not tell, so the end of the pipeline
 * that it builds is watched.
 */
function tellWhenRead<T>(stream: ReadableStream<T>, onRead: () => void): void {
  const { pipeThrough, getReader } = stream;
  stream.pipeThrough = ((...parameters: Parameters<typeof pipeThrough>) => {
    const next = pipeThrough.apply(stream, parameters);
    tellWhenRead(next, onRead);
    return next;
  }) as typeof pipeThrough;
  stream.getReader = (() => {
    const reader = (getReader as () => ReadableStreamDefaultReader<T>).call(stream);
    const read = reader.read.bind(reader);
    reader.read = async () => {
      const item = await read().catch((error: unknown) => {
        onRead();
        throw error;
      });
      if (item.done) onRead();
      return item;
    };
    return reader;
  }) as typeof getReader;
}

/** Returns why a redirect is not followed; undefined when it is. */
function redirectRefusal(
  request: HttpRequest,
  next: Exclude<Redirect, { kind: "none" }>,
  followed: number,
): string | undefined {
  if (next.kind === "invalid") return next.message;
  const address = textPreview(next.request.url.href);
  if (next.request.method !== request.method)
    return `the redirect to ${address} makes a GET of the request; make that address the endpoint`;
  return followed === REDIRECTS_MAX
    ? `more than ${REDIRECTS_MAX} redirects; the next would lead to ${address}`
    : undefined;
}

function discard({ body }: Incoming): void {
  body.on("error", ignore);
  body.destroy();
}

function isOk({ httpStatusCode }: Incoming): boolean {
  return httpStatusCode >= 200 && httpStatusCode <= 299;
}

function asksForAnswer({ body }: HttpRequest): boolean {
  const message = body && (JSON.parse(body.toString()) as object);
  return message !== undefined && "id" in message && "method" in message;
}

function mediaType({ headers }: Incoming): string {
  return (headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** Returns the headers that the SDK looks at. */
function headersOf({ headers }: Incoming): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const name of ["content-type", "mcp-session-id"]) {
    const value = headers.get(name);
    if (value !== undefined) shown[name] = value;
  }
  return shown;
}

function ignore(): void {}
