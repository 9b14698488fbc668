/** The inputs and outputs of the session, which the composition root connects with the rest of the agent. */
import type { Welcome } from "@svc/proto/svc/runner/v1/runner_pb";
import type { AssignmentDelta, AssignmentSnapshot, Dispatch, TestRunDispatch } from "../model/assignment.ts";
import type { NumberedReport } from "../model/test-run-report.ts";
import type { GiveBackMessage } from "./give-back-queue.ts";
import type { AgentIdentity } from "./messages.ts";
import type { RejectedResult, ResultQueue } from "./result-sender.ts";
import type { RunnerConnection } from "./runner-connection.ts";
import type { StreamEnd } from "./stream-end.ts";

/** Content of a heartbeat; the fields mean what `Heartbeat` in runner.proto says. */
export interface AgentLoad {
  activeRuns: number;
  assignedChecks: number;
  backlogResults: number;
  spoolBytes: number;
  droppedResults: number;
  latenessP99Ms: number;
  loopBusyBasisPoints: number;
  accepting: boolean;
  draining: boolean;
}

/** Inputs of the session (functions it asks) and its outputs (`on...`, which it calls). */
export interface SessionParts {
  /** Origin of the control plane's RunnerService, for messages to the operator. */
  url: string;
  /** Begins a connection to the control plane. */
  connect: () => RunnerConnection;
  queue: ResultQueue;
  /** The agent's own, uncorrected clock, Unix ms. */
  localMs: () => number;
  /** Returns a random number in [0, 1). */
  random: () => number;
  /** Starts a one-shot timer; the returned function cancels it. */
  setTimer: (callback: () => void, delayMs: number) => () => void;
  hello: () => AgentIdentity;
  load: () => AgentLoad;
  /** Returns the next message of up to `max` slots to give back; undefined when none waits. */
  nextGiveBack: (max: number) => GiveBackMessage | undefined;
  /** Called with the number of a message of given back slots that the control plane has recorded. */
  onGiveBackAck: (seq: number) => void;
  /** Returns the reports about test runs that are to be sent now. */
  dueTestRunReports: () => NumberedReport[];
  /** Called with the local time of a question and the server's time in its answer, both Unix ms. */
  onServerTime: (sentLocalMs: number, serverMs: number) => void;
  onWelcome: (welcome: Welcome) => void;
  onSnapshot: (snapshot: AssignmentSnapshot) => void;
  onDelta: (delta: AssignmentDelta) => void;
  onDispatch: (dispatch: Dispatch) => void;
  onTestRun: (order: TestRunDispatch) => void;
  /** Called with the number of a report that the control plane has stored. */
  onTestRunReportAck: (seq: number) => void;
  /** Called for a result that the control plane refused for good. */
  onRejected: (rejected: RejectedResult) => void;
  /**
   * Called when a stream ended or could not be opened.
   * @param isFirst true while this process has not received a Welcome yet
   */
  onEnd: (end: StreamEnd, isFirst: boolean) => void;
}
