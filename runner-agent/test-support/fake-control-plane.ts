/** A control plane for tests: the real protocol over a real HTTP/2 server on loopback, scripted by the test. */
import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type ServerHttp2Session,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import {
  type GetApiSpecResponse,
  RunnerService,
  type SessionRequest,
  type SessionResponse,
  SessionResponseSchema,
} from "@svc/proto/svc/runner/v1/runner_pb";
import { TEST_CERTIFICATE, TEST_KEY } from "../../contract/test-support/tls.ts";

type Reply = NonNullable<MessageInitShape<typeof SessionResponseSchema>["message"]>;

/** One stream from an agent, as the test sees it. */
export class AgentStream {
  readonly received: SessionRequest[] = [];
  readonly authorization: string;
  isOpen = true;
  #replies: SessionResponse[] = [];
  #isEnded = false;
  #wake: (() => void) | undefined;

  constructor(context: HandlerContext) {
    this.authorization = context.requestHeader.get("authorization") ?? "";
  }

  send(message: Reply): void {
    this.#replies.push(create(SessionResponseSchema, { message }));
    this.#wake?.();
  }

  /** Closes the stream from the server's side, cleanly. */
  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  /** Messages of one kind, in order of arrival. */
  messages<Case extends NonNullable<SessionRequest["message"]["case"]>>(kind: Case) {
    return this.received.flatMap(({ message }) =>
      message.case === kind
        ? [message.value as Extract<SessionRequest["message"], { case: Case }>["value"]]
        : [],
    );
  }

  async *replies(): AsyncGenerator<SessionResponse> {
    for (;;) {
      const reply = this.#replies.shift();
      if (reply !== undefined) yield reply;
      else if (this.#isEnded) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

export interface FakeControlPlaneOptions {
  /** Called for every message; answers with `stream.send`. Default: a Welcome for the Hello, answers to heartbeats. */
  onMessage?: (stream: AgentStream, request: SessionRequest) => void;
  /** Throws to refuse a request for a document of an API spec by its own error; default: there is none. */
  onGetApiSpec?: (authorization: string) => void;
  /** Throws to refuse the stream before it begins. */
  onOpen?: (stream: AgentStream) => void;
  /** 0: any free port. */
  port?: number;
  /** Speaks TLS with the test certificate. */
  isSecure?: boolean;
}

export const WELCOME = {
  heartbeatIntervalMs: 1000,
  leaseMs: 15_000,
  graceMs: 60_000,
  controlPlaneVersion: "0.0.0",
  runnerId: "run_test",
  locations: [{ locationKey: 1, locationId: "loc_test", name: "test" }],
  hosted: false,
};

/** Answers the Hello with a Welcome and an (empty) snapshot, and heartbeats with the time. */
export function answerPolitely(stream: AgentStream, { message }: SessionRequest): void {
  if (message.case === "hello") {
    const { agentSentAtMs } = message.value;
    stream.send({ case: "welcome", value: { ...WELCOME, agentSentAtMs, serverTimeMs: BigInt(Date.now()) } });
  } else if (message.case === "heartbeat") {
    const { agentSentAtMs } = message.value;
    stream.send({ case: "heartbeatReply", value: { agentSentAtMs, serverTimeMs: BigInt(Date.now()) } });
  }
}

export class FakeControlPlane {
  readonly streams: AgentStream[] = [];
  readonly #server: Http2Server | Http2SecureServer;
  readonly #connections = new Set<ServerHttp2Session>();

  readonly #isSecure: boolean;

  private constructor(server: Http2Server | Http2SecureServer, isSecure: boolean) {
    this.#server = server;
    this.#isSecure = isSecure;
    server.on("session", (session) => {
      this.#connections.add(session);
      session.on("close", () => this.#connections.delete(session));
    });
  }

  static async start({
    onMessage = answerPolitely,
    onGetApiSpec = () => undefined,
    onOpen,
    port = 0,
    isSecure = false,
  }: FakeControlPlaneOptions = {}): Promise<FakeControlPlane> {
    const streams: AgentStream[] = [];
    const adapter = connectNodeAdapter({
      routes: (router) =>
        router.service(RunnerService, {
          // biome-ignore lint/correctness/useYield: there is no document
          async *getApiSpec(_request, context: HandlerContext): AsyncGenerator<GetApiSpecResponse> {
            onGetApiSpec(context.requestHeader.get("authorization") ?? "");
            throw new ConnectError("no such document", Code.NotFound);
          },
          async *session(requests: AsyncIterable<SessionRequest>, context: HandlerContext) {
            const stream = new AgentStream(context);
            streams.push(stream);
            onOpen?.(stream);
            const reading = (async () => {
              for await (const request of requests) {
                stream.received.push(request);
                onMessage(stream, request);
              }
              stream.end();
            })();
            reading.catch(() => stream.end());
            try {
              yield* stream.replies();
            } finally {
              stream.isOpen = false;
            }
          },
        }),
    });
    const server = isSecure
      ? createSecureServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, adapter)
      : createServer(adapter);
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    const plane = new FakeControlPlane(server, isSecure);
    // The handler above was made before the object it reports to.
    (plane as { streams: AgentStream[] }).streams = streams;
    return plane;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#isSecure ? "https" : "http"}://127.0.0.1:${this.port}`;
  }

  /** The newest stream. */
  get stream(): AgentStream {
    const stream = this.streams.at(-1);
    if (stream === undefined) throw new Error("no agent has connected");
    return stream;
  }

  /** Breaks every connection at once, without a word. */
  cut(): void {
    for (const session of this.#connections) session.destroy();
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.cut();
    await closed;
  }
}
