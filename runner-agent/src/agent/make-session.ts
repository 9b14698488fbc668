/** Puts together the session of an agent: what it sends, and which part each message from the control plane goes to. */
import type { Config } from "../base/config.ts";
import type { setTimer } from "../base/timer.ts";
import type { ClockSync } from "../clock/clock-sync.ts";
import type { GiveBackQueue } from "../session/give-back-queue.ts";
import { Session } from "../session/session.ts";
import type { SessionParts } from "../session/session-parts.ts";
import type { SlotRunner } from "../slots/slot-runner.ts";
import type { SpecSource } from "../specs/spec-source.ts";
import type { ReportQueue } from "../test-runs/report-queue.ts";
import type { TestRuns } from "../test-runs/test-runs.ts";
import type { AssignmentIntake } from "./assignment-intake.ts";
import type { ResultRecorder } from "./result-recorder.ts";

/** The parts of an agent that its session connects with the control plane. */
export interface SessionConnections
  extends Pick<SessionParts, "connect" | "random" | "load" | "onWelcome" | "onEnd"> {
  config: Pick<Config, "controlPlaneUrl">;
  setTimer: typeof setTimer;
  /** The Hello message, with which the agent introduces itself at the beginning of each session. */
  identity: ReturnType<SessionParts["hello"]>;
  clock: ClockSync;
  slots: SlotRunner;
  specs: Pick<SpecSource, "learn">;
  results: ResultRecorder;
  giveBacks: GiveBackQueue;
  testRuns: TestRuns;
  testRunReports: ReportQueue;
  assignment: AssignmentIntake;
}

/** Makes the session of an agent. It connects when it is started. */
export function makeSession(parts: SessionConnections): Session {
  const { config, identity, clock, slots, specs, results, giveBacks, testRuns, assignment, testRunReports } =
    parts;
  const { connect, random, setTimer, load, onWelcome, onEnd } = parts;
  return new Session({
    url: config.controlPlaneUrl,
    connect,
    queue: results.spool,
    localMs: () => clock.clock.localMs(),
    random,
    setTimer,
    hello: () => identity,
    load,
    nextGiveBack: (max) => giveBacks.nextMessage(max),
    onGiveBackAck: (seq) => giveBacks.acknowledge(seq),
    dueTestRunReports: () => testRunReports.claimDue(),
    onServerTime: (sentLocalMs, serverMs) => clock.addServerTime(sentLocalMs, serverMs),
    onWelcome,
    onSnapshot: (snapshot) => assignment.replace(snapshot),
    onDelta: (delta) => {
      assignment.change(delta);
      results.forget(delta.unassignments);
    },
    onDispatch: (dispatch) => {
      specs.learn([dispatch.check]);
      slots.runNow(dispatch);
    },
    onTestRun: (testRun) => {
      const dispatch = { ...testRun, slotMs: Math.round(clock.clock.nowMs()) };
      testRuns.open(dispatch);
      specs.learn([testRun.check]);
      slots.runNow(dispatch);
    },
    onTestRunReportAck: (seq) => testRunReports.acknowledge(seq),
    onRejected: (rejected) => results.handleRejected(rejected),
    onEnd,
  });
}
