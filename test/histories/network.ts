/**
 * The network of a history. A stream between an agent and a replica is in order in each direction and breaks as a whole, as one
 * of HTTP/2 does. Between two machines the network may be cut: then nothing arrives, and each side finds that out by its own
 * pings. A lost packet is a delay. The streams of different agents overtake each other.
 */
import type { Random } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

/** Messages that may be on their way in one direction; more wait at the sender, as with HTTP/2's flow control. */
const WINDOW_MESSAGES = 16;
/** Time after which a stream on a cut network is given up: agents ping after 2 s and wait 3.2 s. */
const PATIENCE_MS = { agent: 5_200, replica: 8_000 };
/** Time between two looks at a network that is cut. */
const LOOK_MS = 250;

/** Delays and cuts between named machines. */
export class Network {
  readonly scheduler: Scheduler;
  readonly #random: Random;
  readonly #cuts = new Map<string, number>();
  /** Probability that a message is delayed as if it had been lost. */
  lossProbability = 0;
  /** Streams that are open. */
  readonly streams = new Set<Stream<unknown, unknown>>();

  constructor(scheduler: Scheduler, random: Random) {
    this.scheduler = scheduler;
    this.#random = random;
  }

  /** Cuts the network between two machines for a while. */
  cut(a: string, b: string, forMs: number): void {
    this.#cuts.set(pairOf(a, b), this.scheduler.nowMs + forMs);
  }

  isCut(a: string, b: string): boolean {
    return (this.#cuts.get(pairOf(a, b)) ?? 0) > this.scheduler.nowMs;
  }

  /** Ends all cuts and losses. */
  heal(): void {
    this.#cuts.clear();
    this.lossProbability = 0;
  }

  /** Returns how long the next message takes, ms. */
  delayMs(): number {
    if (this.#random.chance(this.lossProbability)) return this.#random.between(200, 1_500);
    return this.#random.chance(0.05) ? this.#random.between(20, 200) : this.#random.between(0.5, 5);
  }
}

function pairOf(a: string, b: string): string {
  return a < b ? `${a}|${b}` : `${b}|${a}`;
}

/** One side of a stream. */
type Side = "agent" | "replica";

/** Messages of one direction, in order. */
class Pipe<Message> {
  readonly #messages: Message[] = [];
  #onWay = 0;
  #lastArrivalMs = 0;
  #end: { error: unknown } | undefined;
  #wake: (() => void) | undefined;
  #onRead: (() => void) | undefined;

  /** True while another message may be sent. */
  get maySend(): boolean {
    return this.#onWay + this.#messages.length < WINDOW_MESSAGES;
  }

  get isEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Resolves once another message may be sent. */
  async untilFree(): Promise<void> {
    while (!this.maySend && !this.#end) await new Promise<void>((resolve) => (this.#onRead = resolve));
  }

  /** Returns the delay of the next arrival, which is not before those of the earlier messages. */
  delayFor(nowMs: number, delayMs: number): number {
    this.#lastArrivalMs = Math.max(this.#lastArrivalMs, nowMs + delayMs);
    this.#onWay++;
    return this.#lastArrivalMs - nowMs;
  }

  arrive(message: Message): void {
    this.#onWay--;
    if (this.#end) return;
    this.#messages.push(message);
    this.#wake?.();
  }

  /** Ends the direction: after the messages that have arrived, or at once with an error. */
  end(error?: unknown): void {
    if (this.#end) return;
    this.#end = { error };
    this.#wake?.();
    this.#onRead?.();
  }

  async *read(): AsyncGenerator<Message> {
    for (;;) {
      if (this.#end?.error !== undefined) throw this.#end.error;
      const message = this.#messages.shift();
      if (message !== undefined) {
        this.#onRead?.();
        yield message;
      } else if (this.#end) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

/** The machines at both ends of a stream. */
interface StreamEnds {
  agent: SimulatedProcess;
  replica: SimulatedProcess;
}

/** One stream between an agent and a replica. */
export class Stream<Up, Down> {
  readonly up = new Pipe<Up>();
  readonly down = new Pipe<Down>();
  readonly ends: StreamEnds;
  readonly #network: Network;
  readonly #closed = { agent: false, replica: false };
  readonly #cutSinceMs: { agent: number | undefined; replica: number | undefined } = {
    agent: undefined,
    replica: undefined,
  };
  readonly #errorOf: (why: string) => unknown;
  readonly #onClosed: { [S in Side]: () => void };

  /**
   * @param errorOf makes the error that readers get when the stream breaks
   * @param onClosed called when the stream has ended for a side
   */
  constructor(
    network: Network,
    ends: StreamEnds,
    { errorOf, onClosed }: { errorOf: (why: string) => unknown; onClosed: { [S in Side]: () => void } },
  ) {
    this.#network = network;
    this.ends = ends;
    this.#errorOf = errorOf;
    this.#onClosed = onClosed;
    network.streams.add(this as Stream<unknown, unknown>);
    for (const side of ["agent", "replica"] as const) {
      ends[side].onDeath(() => this.breakFrom(side, `${ends[side].name} died`));
      this.#watch(side);
    }
  }

  get isBroken(): boolean {
    return this.#closed.agent && this.#closed.replica;
  }

  /** Sends what the source yields towards the replica, or the agent. Ends the direction when the source ends. */
  async pump<D extends "up" | "down">(
    direction: D,
    source: AsyncIterable<D extends "up" ? Up : Down>,
  ): Promise<void> {
    const pipe = this[direction] as Pipe<unknown>;
    const from = direction === "up" ? "agent" : "replica";
    for await (const message of source) {
      if (this.#closed[from]) return;
      this.#send(direction, () => pipe.arrive(message));
      await pipe.untilFree();
    }
    if (!this.#closed[from]) this.#send(direction, () => pipe.end());
  }

  /** Ends the stream for one side at once. The other learns of it by the network, or by its pings. */
  breakFrom(side: Side, why: string): void {
    if (this.#closed[side]) return;
    this.#close(side, why);
    const other: Side = side === "agent" ? "replica" : "agent";
    const tell = () => {
      if (this.#closed[other]) return;
      if (this.#isCut) this.#network.scheduler.after(LOOK_MS, tell);
      else this.#close(other, why);
    };
    this.#network.scheduler.after(this.#network.delayMs(), tell);
  }

  /** Ends the direction to the agent with the error that the replica answered. */
  refuse(error: unknown): void {
    if (!this.#closed.replica) this.#send("down", () => this.down.end(error));
  }

  get #isCut(): boolean {
    return this.#network.isCut(this.ends.agent.name, this.ends.replica.name);
  }

  #send(direction: "up" | "down", arrive: () => void): void {
    const pipe = this[direction];
    const receiver: Side = direction === "up" ? "replica" : "agent";
    const { nowMs } = this.#network.scheduler;
    const waiting = this.#waiting[direction];
    waiting.push(arrive);
    const deliver = () => {
      if (this.#closed[receiver] || waiting.length === 0) return;
      // What arrives while the network is cut, or the receiver is held, comes later and in order.
      if (this.#isCut || this.ends[receiver].isHeld) this.#network.scheduler.after(LOOK_MS, deliver);
      else waiting.shift()?.();
    };
    this.#network.scheduler.after(pipe.delayFor(nowMs, this.#network.delayMs()), deliver);
  }

  readonly #waiting: { up: (() => void)[]; down: (() => void)[] } = { up: [], down: [] };

  #close(side: Side, why: string): void {
    this.#closed[side] = true;
    const error = this.#errorOf(why);
    if (side === "agent") this.down.end(error);
    else this.up.end(error);
    this.#onClosed[side]();
    if (this.isBroken) this.#network.streams.delete(this as Stream<unknown, unknown>);
  }

  /** Gives the stream up, at one side, once the network has been cut for longer than its pings wait. */
  #watch(side: Side): void {
    const look = () => {
      if (this.#closed[side]) return;
      const { nowMs } = this.#network.scheduler;
      const sinceMs = this.#isCut ? (this.#cutSinceMs[side] ?? nowMs) : undefined;
      this.#cutSinceMs[side] = sinceMs;
      if (sinceMs !== undefined && nowMs - sinceMs >= PATIENCE_MS[side])
        this.breakFrom(side, "the connection answers no more");
      else this.ends[side].after(LOOK_MS * 2, look);
    };
    this.ends[side].after(LOOK_MS * 2, look);
  }
}
