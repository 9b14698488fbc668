/**
 * Makes the HTTP requests of an MCP run: the SDK's transport gets a `fetch` that opens its connections under the egress
 * policy, follows redirects itself, bounds the sizes of answers and times the phases. An unusable answer ends the run
 * and is never passed to the SDK.
 */
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Auth, McpConfig } from "@svc/contract";
import { textPreview } from "../base/storable-text.ts";
import { nextRequest, type Redirect } from "../http/redirects.ts";
import { firstRequest, type HttpRequest } from "../http/request.ts";
import { type RunScope, untilAborted } from "../run/run-scope.ts";
import { stepOf, unusableAnswer } from "./answer-failures.ts";
import { AnswerReader, type OnStream } from "./answer-reader.ts";
import { type Channel, type Incoming, openChannel } from "./channel.ts";
import { discard, isOk, mediaType } from "./incoming.ts";
import { REDIRECTS_MAX, REQUESTS_MAX } from "./limits.ts";

/** The server of an MCP run and the headers that each request to it carries. */
export interface ExchangeOptions {
  endpoint: string;
  auth: Auth | undefined;
  userAgent: string;
  traceparent: string;
  /** Where a redirect may send a message again. */
  resendBody: McpConfig["resendBody"];
}

/** A request of the SDK, before it has the endpoint's address. */
interface SdkRequest {
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
  auth: Auth | undefined;
}

/** The HTTP requests of one MCP run. Close it at the end of the run: that ends its connections. */
export class McpExchange {
  readonly #options: ExchangeOptions;
  readonly #scope: RunScope;
  readonly #reader: AnswerReader;
  readonly #channels = new Map<string, Channel>();
  #requests = 0;
  #isClosed = false;
  /** HTTP status of the newest answer. */
  httpStatusCode: number | undefined;

  constructor(options: ExchangeOptions, scope: RunScope, onStream: OnStream) {
    this.#options = options;
    this.#scope = scope;
    this.#reader = new AnswerReader(scope, onStream);
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
      this.#requestOf({ method, headers, body, auth: this.#options.auth }),
    );
    this.httpStatusCode = incoming.httpStatusCode;
    if (method === "DELETE") {
      discard(incoming);
      return new Response(null, { status: 200 });
    }
    const isStream = mediaType(incoming) === "text/event-stream";
    if (isOk(incoming) && isStream && incoming.httpStatusCode !== 204)
      return this.#reader.readStream(incoming);
    return await this.#reader.readWhole(request, incoming);
  };

  /**
   * Sends a JSON-RPC request without the check's credentials.
   * @returns the HTTP status of the answer, whose body is not read
   */
  async postWithoutCredentials(message: unknown): Promise<number> {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const body = JSON.stringify(message);
    const request = this.#requestOf({ method: "POST", headers, body, auth: undefined });
    const { incoming } = await this.#send(request, { acceptsRedirects: true });
    discard(incoming);
    return incoming.httpStatusCode;
  }

  /** Closes all connections; nothing is sent from now on. Calling it twice is harmless. */
  close(): void {
    this.#isClosed = true;
    for (const channel of this.#channels.values()) channel.close();
    this.#channels.clear();
  }

  #requestOf({ method, headers, body, auth }: SdkRequest): HttpRequest {
    const { endpoint, userAgent, traceparent } = this.#options;
    const url = new URL(endpoint);
    if (!auth && this.#options.auth) url.username = url.password = "";
    // Compressed event streams would come late, since their compressor waits for more data.
    const request = firstRequest(
      {
        url: url.href,
        method: "POST",
        headers: { ...headers, "accept-encoding": "identity", traceparent },
        auth,
        resendBody: this.#options.resendBody,
      },
      { userAgent },
    );
    return { ...request, method, body: body === undefined ? undefined : Buffer.from(body) };
  }

  /**
   * Sends a request and follows redirects.
   * @param options.acceptsRedirects a redirect that can't be followed is an answer like any other
   * @returns the first answer that is not followed further; its body is not read yet
   */
  async #send(
    first: HttpRequest,
    { acceptsRedirects = false } = {},
  ): Promise<{ request: HttpRequest; incoming: Incoming }> {
    let request = first;
    for (let followed = 0; ; followed++) {
      if (++this.#requests > REQUESTS_MAX)
        throw unusableAnswer(this.#scope, {
          message: `kept the run busy with more than ${REQUESTS_MAX} requests`,
        });
      this.#scope.url = request.url;
      const incoming = await this.#sendOnce(request);
      const next = nextRequest(request, incoming.httpStatusCode, incoming.headers.get("location"));
      if (next.kind === "none") return { request, incoming };
      const refusal = redirectRefusal(request, next, followed);
      if (refusal !== undefined && acceptsRedirects) return { request, incoming };
      discard(incoming);
      if (refusal !== undefined)
        throw unusableAnswer(this.#scope, {
          category: "http",
          message: `answered ${stepOf(this.#scope)} with HTTP ${incoming.httpStatusCode}: ${refusal}`,
        });
      request = (next as { request: HttpRequest }).request;
    }
  }

  /**
   * The SDK answers a server's requests and resumes streams by itself, whenever it comes to that. A run that is over
   * sends nothing.
   */
  #assertOpen(): void {
    if (this.#scope.signal.aborted) throw this.#scope.signal.reason;
    if (this.#isClosed) throw new Error("the run is over");
  }

  async #sendOnce(request: HttpRequest): Promise<Incoming> {
    this.#assertOpen();
    const { origin } = request.url;
    let channel = this.#channels.get(origin);
    if (!channel) {
      channel = await openChannel(request.url, this.#scope);
      if (this.#isClosed) channel.close();
      this.#assertOpen();
      this.#channels.set(origin, channel);
    }
    this.#scope.clock.enter("ttfb");
    const incoming = await untilAborted(channel.send(request), this.#scope.signal);
    this.#reader.begin();
    return incoming;
  }
}

/** Returns why a redirect is not followed; undefined when it is. */
function redirectRefusal(
  request: HttpRequest,
  next: Exclude<Redirect, { kind: "none" }>,
  followed: number,
): string | undefined {
  if (next.kind === "invalid" || next.kind === "refused") return next.message;
  const address = textPreview(next.request.url.href);
  if (next.request.method !== request.method)
    return `the redirect to ${address} makes a GET of the request; make that address the endpoint`;
  return followed === REDIRECTS_MAX
    ? `more than ${REDIRECTS_MAX} redirects; the next would lead to ${address}`
    : undefined;
}
