/** An attempt of an agent to reach a replica, and the stream that comes of it. */
import { Code, ConnectError } from "@connectrpc/connect";
import type { SessionRequest, SessionResponse } from "@svc/proto/svc/runner/v1/runner_pb";
import { type Network, Stream } from "./network.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

/** Time after which an attempt to connect over a cut network is given up, ms. */
const CONNECT_TIMEOUT_MS = 5_000;

/** One attempt. */
export class ConnectionAttempt {
  readonly #network: Network;
  readonly #ends: { agent: SimulatedProcess; replica: SimulatedProcess };
  #stream: Stream<SessionRequest, SessionResponse> | undefined;
  #isClosed = false;

  constructor(network: Network, ends: { agent: SimulatedProcess; replica: SimulatedProcess }) {
    this.#network = network;
    this.#ends = ends;
  }

  /** Opens the stream and yields the replica's messages. @param serve begins to serve the stream at the replica */
  async *open(
    requests: AsyncIterable<SessionRequest>,
    signal: AbortSignal | undefined,
    serve: (stream: Stream<SessionRequest, SessionResponse>, signal: AbortSignal) => void,
  ): AsyncGenerator<SessionResponse> {
    const { agent, replica } = this.#ends;
    if (this.#network.isCut(agent.name, replica.name)) {
      await agent.sleep(CONNECT_TIMEOUT_MS);
      throw unavailable("timed out while connecting");
    }
    await agent.sleep(2 * this.#network.delayMs());
    if (!replica.isAlive) throw unavailable("connection refused");
    if (this.#isClosed || signal?.aborted) throw unavailable("closed");
    const gone = new AbortController();
    const stream = new Stream<SessionRequest, SessionResponse>(this.#network, this.#ends, {
      errorOf: unavailable,
      onClosed: { agent: () => {}, replica: () => gone.abort(unavailable("the agent has gone")) },
    });
    this.#stream = stream;
    signal?.addEventListener("abort", () => stream.breakFrom("agent", "aborted"), { once: true });
    replica.after(this.#network.delayMs(), () => serve(stream, gone.signal));
    stream.pump("up", requests).catch(() => undefined);
    yield* stream.down.read();
  }

  close(): void {
    this.#isClosed = true;
    this.#stream?.breakFrom("agent", "closed");
  }
}

function unavailable(why: string): ConnectError {
  return new ConnectError(why, Code.Unavailable);
}
