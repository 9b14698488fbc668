/**
 * One session with an MCP server through the SDK's client: one question at a time, and the reasons that end one. A
 * question ends with its answer, with the run's time limit, or as soon as it is certain that no answer will come.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpError, type RequestId, ResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { type McpServer, oneLine } from "@svc/contract";
import { textPreview } from "../base/storable-text.ts";
import { RunnerFailure, TargetFailure } from "../run/failures.ts";
import { type RunScope, untilAborted } from "../run/run-scope.ts";
import { AnsweredWithError } from "./answered-with-error.ts";
import { type ExchangeOptions, McpExchange } from "./exchange.ts";
import { GOODBYE_MS_MAX } from "./limits.ts";
import { WatchedTransport } from "./transport.ts";

/** The SDK's time limit, as long as a timer can be: the run has a limit of its own, which must come first. */
const NEVER_MS = 2 ** 31 - 1;

/** The server's identity and capabilities, from its answer to initialize. */
export interface Initialized {
  server: McpServer;
  capabilities: Record<string, unknown>;
}

/** One session with an MCP server. Ask one question at a time, and close it once, also after a failure. */
export class Conversation {
  readonly #scope: RunScope;
  readonly #exchange: McpExchange;
  readonly #transport: WatchedTransport;
  readonly #client: Client;
  /** Aborts when no further answer can come. Its reason is the run's failure. */
  readonly #broken = new AbortController();
  readonly #onLimit = () => this.#break(this.#scope.signal.reason as TargetFailure | RunnerFailure);
  /** The request that each open stream answers. A stream may stay open long after that. */
  readonly #streams = new Set<{ requestId: RequestId | undefined }>();
  /** True when the stream of the answer named a position to resume from. */
  #isResumable = false;

  constructor(options: ExchangeOptions, scope: RunScope) {
    this.#scope = scope;
    this.#exchange = new McpExchange(options, scope, () => this.#openStream());
    this.#transport = new WatchedTransport(
      new URL(options.endpoint),
      {
        fetch: this.#exchange.fetch,
        reconnectionOptions: {
          initialReconnectionDelay: 200,
          maxReconnectionDelay: 2_000,
          reconnectionDelayGrowFactor: 2,
          maxRetries: 1,
        },
      },
      () => this.#assertAnswerMayCome(),
    );
    this.#transport.onerror = (error) => this.#keepTransportError(error);
    const [name = "svc", version = "0"] = options.userAgent.split("/");
    // Without a validator of our own the SDK makes one for JSON Schema, at more cost than the rest of a run; see
    // call-tool.ts.
    this.#client = new Client({ name, version }, { jsonSchemaValidator: NO_VALIDATOR });
    scope.signal.addEventListener("abort", this.#onLimit, { once: true });
  }

  /** HTTP status of the newest answer. */
  get httpStatusCode(): number | undefined {
    return this.#exchange.httpStatusCode;
  }

  /** @throws TargetFailure, RunnerFailure */
  async initialize(): Promise<Initialized> {
    try {
      await this.#ask("initialize", (options) => this.#client.connect(this.#transport, options));
    } catch (error) {
      // The SDK's own refusals, such as that of a protocol version, are plain errors.
      if (error instanceof AnsweredWithError || (error as Error).constructor === Error)
        throw this.#protocolFailure(`could not be initialized: ${(error as Error).message}`);
      throw error;
    }
    const { name, version, title } = this.#client.getServerVersion() ?? { name: "", version: "" };
    return {
      server: {
        name: textPreview(name),
        version: textPreview(version),
        protocolVersion: this.#transport.protocolVersion ?? "",
        ...(title === undefined ? {} : { title: textPreview(title) }),
      },
      capabilities: { ...this.#client.getServerCapabilities() },
    };
  }

  /**
   * Sends a request of any method. The SDK's listTools and callTool are not used: they compile the server's output
   * schemas and judge by them, and a hostile schema can hold the event loop for ever.
   * @param step names the question in messages
   * @throws AnsweredWithError, TargetFailure, RunnerFailure
   */
  request(step: string, method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
    return this.#ask(step, (options) => this.#client.request({ method, params }, ResultSchema, options));
  }

  /**
   * Sends initialize without credentials.
   * @returns the HTTP status of the answer
   * @throws TargetFailure, RunnerFailure
   */
  async initializeWithoutCredentials(protocolVersion: string): Promise<number> {
    this.#scope.step = "initialize without credentials";
    return this.#exchange.postWithoutCredentials({
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: { protocolVersion, capabilities: {}, clientInfo: { name: "svc", version: "0" } },
    });
  }

  /**
   * Ends the session at the server, as far as that cooperates, and then everything that is left here. Never rejects.
   */
  async end(): Promise<void> {
    if (!this.#scope.signal.aborted && this.#transport.sessionId !== undefined) {
      this.#scope.step = "the end of the session";
      const patience = new AbortController();
      const ended = this.#transport.terminateSession().catch(ignore);
      await Promise.race([
        ended,
        sleep(GOODBYE_MS_MAX, undefined, { signal: patience.signal }).catch(ignore),
      ]);
      patience.abort();
    }
    this.#scope.signal.removeEventListener("abort", this.#onLimit);
    this.#exchange.close();
    await this.#client.close().catch(ignore);
    // The client closes only a transport that was connected.
    await this.#transport.close().catch(ignore);
  }

  async #ask<T>(step: string, run: (options: SdkOptions) => Promise<T>): Promise<T> {
    if (this.#broken.signal.aborted) throw this.#broken.signal.reason;
    this.#scope.step = step;
    this.#isResumable = false;
    const onresumptiontoken = () => {
      this.#isResumable = true;
    };
    try {
      return await untilAborted(run({ timeout: NEVER_MS, onresumptiontoken }), this.#broken.signal);
    } catch (error) {
      throw this.#failureOf(error, step);
    }
  }

  #failureOf(error: unknown, step: string): unknown {
    if (error instanceof TargetFailure || error instanceof RunnerFailure) return error;
    if (error instanceof McpError) return new AnsweredWithError(textPreview(error.message), { cause: error });
    if (isMalformed(error)) return this.#malformed(step, error);
    if (error instanceof StreamableHTTPError)
      return this.#protocolFailure(`gave no usable answer to ${step}: ${textPreview(error.message)}`);
    return error;
  }

  /** Takes the errors that no question rejects with, because the SDK goes on after them. */
  #keepTransportError(error: Error): void {
    if (error instanceof TargetFailure || error instanceof RunnerFailure) this.#break(error);
    else if (isMalformed(error)) this.#break(this.#malformed(this.#scope.step ?? "a request", error));
  }

  /**
   * Called when the answer to a question was received whole and handed over. Breaks the session if nothing in it
   * answered the question.
   */
  #assertAnswerMayCome(): void {
    const { pendingId } = this.#transport;
    if (pendingId !== undefined && !this.#mayStillAnswer(pendingId))
      this.#break(this.#protocolFailure(`gave an answer to ${this.#scope.step} that does not answer it`));
  }

  #openStream(): (failure: TargetFailure | RunnerFailure | undefined) => void {
    const { pendingId: requestId } = this.#transport;
    const stream = { requestId };
    this.#streams.add(stream);
    return (failure) => {
      this.#streams.delete(stream);
      if (
        requestId === undefined ||
        requestId !== this.#transport.pendingId ||
        this.#mayStillAnswer(requestId)
      )
        return;
      this.#break(
        failure ?? this.#protocolFailure(`ended the event stream without an answer to ${this.#scope.step}`),
      );
    };
  }

  #mayStillAnswer(requestId: RequestId): boolean {
    return this.#isResumable || [...this.#streams].some((stream) => stream.requestId === requestId);
  }

  #break(failure: TargetFailure | RunnerFailure): void {
    if (!this.#broken.signal.aborted) this.#broken.abort(failure);
  }

  #malformed(step: string, error: Error): TargetFailure {
    const what = error instanceof SyntaxError ? "JSON" : "a message of the protocol";
    return this.#protocolFailure(
      `answered ${step} with what is not ${what}: ${textPreview(oneLine(error.message))}`,
    );
  }

  #protocolFailure(what: string): TargetFailure {
    const message = `${this.#scope.url.host} ${what}`;
    return new TargetFailure({ status: "error", category: "protocol", message });
  }
}

interface SdkOptions {
  timeout: number;
  onresumptiontoken: () => void;
}

const NO_VALIDATOR = {
  getValidator: () => {
    throw new Error("no schema of a server is ever compiled");
  },
};

/** True for the errors with which JSON.parse or the SDK's schemas refuse an answer. */
function isMalformed(error: unknown): error is Error {
  return error instanceof SyntaxError || (error instanceof Error && /^\$?ZodError$/.test(error.name));
}

function ignore(): void {}
