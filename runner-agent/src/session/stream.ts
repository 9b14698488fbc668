/** One stream: Hello, Welcome, then messages in both directions until it ends. Holds no state that outlives the stream. */
import { create } from "@bufbuild/protobuf";
import { type CallOptions, Code, ConnectError } from "@connectrpc/connect";
import { HeartbeatSchema, type SessionResponse, type Welcome } from "@svc/proto/svc/runner/v1/runner_pb";
import { beganWork } from "../base/loop-watch.ts";
import type { AssignmentDelta, AssignmentSnapshot } from "../model/assignment.ts";
import {
  deltaFromProto,
  dispatchFromProto,
  giveBackToProto,
  helloToProto,
  snapshotFromProto,
  testRunFromProto,
  testRunReportToProto,
} from "./messages.ts";
import { Outgoing } from "./outgoing.ts";
import type { ResultSender } from "./result-sender.ts";
import type { RunnerConnection } from "./runner-connection.ts";
import type { SessionParts } from "./session-parts.ts";

/** Time that the control plane has to answer the Hello. */
const WELCOME_TIMEOUT_MS = 8000;
/** Wait for further acknowledgements after a Drain, before the agent connects elsewhere. */
const DRAIN_LINGER_MS = 1000;
/** Most slots given back in one message. */
const GIVE_BACK_MAX = 1000;
/**
 * Delay of the first heartbeat after the Welcome. Soon, since the Welcome's measurement of the clock includes the
 * connection's set-up.
 */
const FIRST_HEARTBEAT_MS = 200;

/** One stream to the control plane; a new one is made for each connection. */
export class RunnerStream {
  readonly #parts: SessionParts;
  readonly #sender: ResultSender;
  readonly #outgoing: Outgoing;
  readonly #abort = new AbortController();
  readonly #timers = new Map<"welcome" | "heartbeat" | "drain", () => void>();
  #snapshotParts: AssignmentSnapshot | undefined;
  #heldDeltas: AssignmentDelta[] = [];
  #isWelcomed = false;
  #isDrained = false;

  constructor(parts: SessionParts, sender: ResultSender) {
    this.#parts = parts;
    this.#sender = sender;
    this.#outgoing = new Outgoing(sender);
  }

  /** True once the Welcome has come. */
  get isWelcomed(): boolean {
    return this.#isWelcomed;
  }

  /** True once the control plane has asked the agent to connect again. */
  get isDrained(): boolean {
    return this.#isDrained;
  }

  /**
   * Runs the stream until it ends.
   * @throws ConnectError when it ended by anything but a clean close
   */
  async run(client: RunnerConnection["client"], headers: RunnerConnection["headers"]): Promise<void> {
    this.#sender.startStream();
    this.#outgoing.push({ case: "hello", value: helloToProto(this.#parts.hello(), this.#parts.localMs()) });
    this.#after("welcome", WELCOME_TIMEOUT_MS, () => {
      if (!this.#isWelcomed) this.abort("no answer to the Hello");
    });
    try {
      const call: CallOptions = { signal: this.#abort.signal, headers };
      for await (const response of client.session(this.#outgoing, call)) this.#receive(response);
      if (!this.#isWelcomed) throw new ConnectError("the stream ended before the Welcome", Code.Unavailable);
    } catch (error) {
      const reason: unknown = this.#abort.signal.reason;
      throw this.#abort.signal.aborted && reason instanceof Error ? reason : error;
    } finally {
      for (const cancel of this.#timers.values()) cancel();
      this.#outgoing.end();
    }
  }

  /** Ends the stream at once. */
  abort(why: string): void {
    this.#abort.abort(new ConnectError(why, Code.Unavailable));
  }

  /** Sends results from the queue. Does nothing before the Welcome. */
  pullResults(): void {
    if (this.#isWelcomed && !this.#isDrained) this.#outgoing.pullResults();
  }

  /** Sends the slots given back since the last call. Does nothing before the Welcome. */
  pullGiveBacks(): void {
    if (!this.#isWelcomed) return;
    for (;;) {
      const message = this.#parts.nextGiveBack(GIVE_BACK_MAX);
      if (message === undefined) return;
      this.#outgoing.push({ case: "giveBack", value: giveBackToProto(message) });
    }
  }

  /** Sends the reports about test runs that are due. Does nothing before the Welcome. */
  pullTestRunReports(): void {
    if (!this.#isWelcomed) return;
    for (const report of this.#parts.dueTestRunReports())
      this.#outgoing.push({ case: "testRunReport", value: testRunReportToProto(report) });
  }

  /** Sends a heartbeat with the present load. */
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

  #receive({ message }: SessionResponse): void {
    beganWork(`message ${message.case ?? "of an unknown kind"}`);
    if (!this.#isWelcomed && message.case !== "welcome") {
      throw new ConnectError("the first message was not a Welcome", Code.Internal);
    }
    switch (message.case) {
      case "welcome":
        this.#receiveWelcome(message.value);
        break;
      case "heartbeatReply":
        this.#parts.onServerTime(Number(message.value.agentSentAtMs), Number(message.value.serverTimeMs));
        break;
      case "snapshot":
        this.#receiveSnapshotPart(snapshotFromProto(message.value), message.value.last);
        break;
      case "delta":
        this.#receiveDelta(deltaFromProto(message.value));
        break;
      case "runNow": {
        const dispatch = dispatchFromProto(message.value);
        if (dispatch !== undefined) this.#parts.onDispatch(dispatch);
        break;
      }
      case "testRun": {
        const testRun = testRunFromProto(message.value);
        if (testRun !== undefined) this.#parts.onTestRun(testRun);
        break;
      }
      case "testRunReportAck":
        this.#parts.onTestRunReportAck(Number(message.value.seq));
        break;
      case "giveBackAck":
        this.#parts.onGiveBackAck(Number(message.value.seq));
        break;
      case "ack":
        this.#receiveAck(Number(message.value.seq), message.value.rejections);
        break;
      case "drain":
        this.#receiveDrain();
        break;
      case undefined:
        break; // a message of a later version
    }
  }

  #receiveWelcome(welcome: Welcome): void {
    if (this.#isWelcomed) throw new ConnectError("a second Welcome", Code.Internal);
    this.#isWelcomed = true;
    this.#parts.onServerTime(Number(welcome.agentSentAtMs), Number(welcome.serverTimeMs));
    this.#parts.onWelcome(welcome);
    this.#outgoing.pullResults();
    this.pullGiveBacks();
    this.pullTestRunReports();
    const intervalMs = Math.max(100, welcome.heartbeatIntervalMs);
    const beat = () => {
      this.heartbeat();
      this.#after("heartbeat", intervalMs, beat);
    };
    this.#after("heartbeat", Math.min(FIRST_HEARTBEAT_MS, intervalMs), beat);
  }

  #receiveSnapshotPart(part: AssignmentSnapshot, isLast: boolean): void {
    this.#snapshotParts ??= { checks: [], assignments: [] };
    for (const check of part.checks) this.#snapshotParts.checks.push(check);
    for (const assignment of part.assignments) this.#snapshotParts.assignments.push(assignment);
    if (!isLast) return;
    this.#parts.onSnapshot(this.#snapshotParts);
    this.#snapshotParts = undefined;
    for (const delta of this.#heldDeltas.splice(0)) this.#parts.onDelta(delta);
  }

  #receiveDelta(delta: AssignmentDelta): void {
    if (this.#snapshotParts !== undefined) this.#heldDeltas.push(delta);
    else this.#parts.onDelta(delta);
  }

  #receiveAck(seq: number, rejections: readonly { index: number; reason: string }[]): void {
    const wasFull = this.#sender.isWindowFull;
    for (const rejected of this.#sender.acknowledge(seq, rejections)) this.#parts.onRejected(rejected);
    if (this.#isDrained && this.#sender.unacknowledgedBatches === 0) this.#outgoing.end();
    else if (wasFull) this.pullResults();
  }

  /** Sends nothing new. Batches on their way get a moment to be acknowledged, so that they need not be sent twice. */
  #receiveDrain(): void {
    this.#isDrained = true;
    if (this.#sender.unacknowledgedBatches === 0) this.#outgoing.end();
    this.#after("drain", DRAIN_LINGER_MS, () => this.abort("drained"));
  }

  #after(timer: "welcome" | "heartbeat" | "drain", delayMs: number, callback: () => void): void {
    this.#timers.set(timer, this.#parts.setTimer(callback, delayMs));
  }
}
