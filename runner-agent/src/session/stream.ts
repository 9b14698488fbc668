/** One stream's life: Hello, Welcome, then both ways until it ends. Keeps no state beyond the stream. */
import { create } from "@bufbuild/protobuf";
import { type CallOptions, type Client, Code, ConnectError } from "@connectrpc/connect";
import {
  HeartbeatSchema,
  type RunnerService,
  type SessionResponse,
  type Welcome,
} from "@svc/proto/svc/runner/v1/runner_pb";
import type { AssignmentDelta, AssignmentSnapshot } from "../model/assignment.ts";
import {
  deltaFromProto,
  dispatchFromProto,
  giveBackToProto,
  helloToProto,
  snapshotFromProto,
} from "./messages.ts";
import { Outgoing } from "./outgoing.ts";
import type { ResultSender } from "./result-sender.ts";
import type { SessionParts } from "./session-parts.ts";

/** The control plane answers the Hello within this, or the connection is no good. */
const WELCOME_TIMEOUT_MS = 8000;
/** After Drain: how long acknowledgements may still come in before we connect elsewhere. */
const DRAIN_LINGER_MS = 1000;
/** Slots given back per message. */
const GIVE_BACK_MAX = 1000;
/** A second measurement of the clock follows the Welcome this soon: the first includes the connection's set-up. */
const FIRST_HEARTBEAT_MS = 200;

export class RunnerStream {
  readonly #parts: SessionParts;
  readonly #sender: ResultSender;
  readonly #outgoing: Outgoing;
  readonly #abort = new AbortController();
  readonly #timers = new Map<"welcome" | "heartbeat" | "drain", () => void>();
  #snapshotParts: AssignmentSnapshot | undefined;
  #heldDeltas: AssignmentDelta[] = [];
  #isWelcome = false;
  #isDrained = false;

  constructor(parts: SessionParts, sender: ResultSender) {
    this.#parts = parts;
    this.#sender = sender;
    this.#outgoing = new Outgoing(sender);
  }

  get isWelcome(): boolean {
    return this.#isWelcome;
  }

  /** Ended because the control plane asked for it. */
  get isDrained(): boolean {
    return this.#isDrained;
  }

  /** Runs until the stream ends. @throws ConnectError when it ended by anything but a clean close */
  async run(client: Client<typeof RunnerService>, headers: CallOptions["headers"]): Promise<void> {
    this.#sender.startStream();
    this.#outgoing.push({ case: "hello", value: helloToProto(this.#parts.hello(), this.#parts.localMs()) });
    this.#after("welcome", WELCOME_TIMEOUT_MS, () => {
      if (!this.#isWelcome) this.abort("no answer to the Hello");
    });
    try {
      const call: CallOptions = { signal: this.#abort.signal };
      if (headers !== undefined) call.headers = headers;
      for await (const response of client.session(this.#outgoing, call)) this.#take(response);
      if (!this.#isWelcome) throw new ConnectError("the stream ended before the Welcome", Code.Unavailable);
    } catch (cause) {
      const reason: unknown = this.#abort.signal.reason;
      throw this.#abort.signal.aborted && reason instanceof Error ? reason : cause;
    } finally {
      for (const cancel of this.#timers.values()) cancel();
      this.#outgoing.end();
    }
  }

  abort(why: string): void {
    this.#abort.abort(new ConnectError(why, Code.Unavailable));
  }

  /** Sends what results there are. Nothing happens before the Welcome. */
  pullResults(): void {
    if (this.#isWelcome && !this.#isDrained) this.#outgoing.pullResults();
  }

  /** Sends the slots given back since the last call. */
  pullGiveBacks(): void {
    if (!this.#isWelcome) return;
    for (;;) {
      const slots = this.#parts.takeGiveBacks(GIVE_BACK_MAX);
      if (slots.length === 0) return;
      this.#outgoing.push({ case: "giveBack", value: giveBackToProto(slots) });
    }
  }

  heartbeat(): void {
    const load = this.#parts.load();
    this.#outgoing.push({
      case: "heartbeat",
      value: create(HeartbeatSchema, {
        ...load,
        agentSentAtMs: BigInt(Math.round(this.#parts.localMs())),
        backlogResults: BigInt(load.backlogResults),
        spoolBytes: BigInt(load.spoolBytes),
        droppedResults: BigInt(load.droppedResults),
      }),
    });
  }

  /** Ends the lease and the stream. */
  goodbye(): void {
    this.#outgoing.push({ case: "goodbye", value: { $typeName: "svc.runner.v1.Goodbye" } });
    this.#outgoing.end();
  }

  #take({ message }: SessionResponse): void {
    if (!this.#isWelcome && message.case !== "welcome") {
      throw new ConnectError("the first message was not a Welcome", Code.Internal);
    }
    switch (message.case) {
      case "welcome":
        this.#takeWelcome(message.value);
        break;
      case "heartbeatReply":
        this.#parts.onServerTime(Number(message.value.agentSentAtMs), Number(message.value.serverTimeMs));
        break;
      case "snapshot":
        this.#takeSnapshotPart(snapshotFromProto(message.value), message.value.last);
        break;
      case "delta":
        this.#takeDelta(deltaFromProto(message.value));
        break;
      case "runNow": {
        const dispatch = dispatchFromProto(message.value);
        if (dispatch !== undefined) this.#parts.onDispatch(dispatch);
        break;
      }
      case "ack":
        this.#takeAck(Number(message.value.seq), message.value.rejections);
        break;
      case "drain":
        this.#takeDrain();
        break;
      case undefined:
        break; // a message of a later version
    }
  }

  #takeWelcome(welcome: Welcome): void {
    if (this.#isWelcome) throw new ConnectError("a second Welcome", Code.Internal);
    this.#isWelcome = true;
    this.#parts.onServerTime(Number(welcome.agentSentAtMs), Number(welcome.serverTimeMs));
    this.#parts.onWelcome(welcome);
    this.#outgoing.pullResults();
    this.pullGiveBacks();
    const intervalMs = Math.max(100, welcome.heartbeatIntervalMs);
    const beat = () => {
      this.heartbeat();
      this.#after("heartbeat", intervalMs, beat);
    };
    this.#after("heartbeat", Math.min(FIRST_HEARTBEAT_MS, intervalMs), beat);
  }

  #takeSnapshotPart(part: AssignmentSnapshot, isLast: boolean): void {
    this.#snapshotParts ??= { checks: [], assignments: [] };
    for (const check of part.checks) this.#snapshotParts.checks.push(check);
    for (const assignment of part.assignments) this.#snapshotParts.assignments.push(assignment);
    if (!isLast) return;
    this.#parts.onSnapshot(this.#snapshotParts);
    this.#snapshotParts = undefined;
    for (const delta of this.#heldDeltas.splice(0)) this.#parts.onDelta(delta);
  }

  #takeDelta(delta: AssignmentDelta): void {
    if (this.#snapshotParts !== undefined) this.#heldDeltas.push(delta);
    else this.#parts.onDelta(delta);
  }

  #takeAck(seq: number, rejections: readonly { index: number; reason: string }[]): void {
    const wasFull = this.#sender.isWindowFull;
    for (const rejected of this.#sender.acknowledge(seq, rejections)) this.#parts.onRejected(rejected);
    if (this.#isDrained && this.#sender.unacknowledgedBatches === 0) this.#outgoing.end();
    else if (wasFull) this.pullResults();
  }

  /** Nothing new goes out; what is on its way is given a moment, so that it need not be sent twice. */
  #takeDrain(): void {
    this.#isDrained = true;
    if (this.#sender.unacknowledgedBatches === 0) this.#outgoing.end();
    this.#after("drain", DRAIN_LINGER_MS, () => this.abort("drained"));
  }

  #after(timer: "welcome" | "heartbeat" | "drain", delayMs: number, callback: () => void): void {
    this.#timers.set(timer, this.#parts.setTimer(callback, delayMs));
  }
}
