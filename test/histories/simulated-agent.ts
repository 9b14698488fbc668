/**
 * An agent of a history: the product's slots, session, spool, clock and intake, joined as `runner-agent/src/agent/agent.ts` joins
 * them, over a simulated machine, disk and network. Only the probe is made up. Files, secrets, API specs and test runs are left out.
 */
import { setMaxListeners } from "node:events";
import { MINUTE_MS } from "@svc/contract";
import type { ProbeOutcome } from "@svc/probes";
import { AssignmentIntake } from "../../runner-agent/src/agent/assignment-intake.ts";
import { drain } from "../../runner-agent/src/agent/drain.ts";
import { makeSession } from "../../runner-agent/src/agent/make-session.ts";
import { ResultRecorder } from "../../runner-agent/src/agent/result-recorder.ts";
import { ClockSync } from "../../runner-agent/src/clock/clock-sync.ts";
import type { SessionMemory } from "../../runner-agent/src/disk/assignment-store.ts";
import { GiveBackQueue } from "../../runner-agent/src/session/give-back-queue.ts";
import type { RunnerConnection } from "../../runner-agent/src/session/runner-connection.ts";
import type { Session } from "../../runner-agent/src/session/session.ts";
import { SlotRunner } from "../../runner-agent/src/slots/slot-runner.ts";
import type { DueSlot } from "../../runner-agent/src/slots/slot-schedule.ts";
import { ReportQueue } from "../../runner-agent/src/test-runs/report-queue.ts";
import { TestRuns } from "../../runner-agent/src/test-runs/test-runs.ts";
import type { AgentDisk } from "./agent-disk.ts";
import type { Random } from "./random.ts";
import { type ClockFault, SimulatedProcess } from "./simulated-process.ts";
import type { Surroundings } from "./surroundings.ts";
import { WatchedQueue } from "./watched-queue.ts";

/** Time without a first session after which the stored assignment is run, as in the product. */
const STORED_ASSIGNMENT_AFTER_MS = 3_000;
const MAX_IN_FLIGHT = 100;
/** Grace of an agent with the planted fault: enough for its own timers, and for nothing else. */
const NO_GRACE_MS = 1_000;
const NO_SESSION_YET: SessionMemory = { clockOffsetMs: 0, isHosted: false, graceMs: MINUTE_MS };

/** The machine of an agent: what outlives its processes. */
export interface AgentMachine {
  name: string;
  runnerUuid: string;
  locationKey: number;
  disk: AgentDisk;
  clock: ClockFault;
}

/** One process of an agent. It runs from its making until it is killed or drained. */
export class SimulatedAgent {
  readonly machine: AgentMachine;
  readonly process: SimulatedProcess;
  readonly #world: Surroundings;
  readonly #random: Random;
  readonly #clock: ClockSync;
  readonly #slots: SlotRunner;
  readonly #results: ResultRecorder;
  readonly #giveBacks: GiveBackQueue;
  readonly #assignment: AssignmentIntake;
  readonly #testRunReports: ReportQueue;
  readonly #session: Session;
  readonly #abortRuns = new AbortController();
  #memory: SessionMemory;
  #isDraining = false;
  #cancelStoredAssignment: () => void;

  constructor(world: Surroundings, machine: AgentMachine) {
    this.machine = machine;
    this.#world = world;
    this.#random = world.random.fork();
    this.process = new SimulatedProcess(world.scheduler, machine.name, machine.clock);
    setMaxListeners(0, this.#abortRuns.signal); // each run in flight listens
    const { process } = this;
    const { disk } = machine;
    const { log } = world;
    this.#memory = disk.memory ?? NO_SESSION_YET;
    this.#clock = new ClockSync({
      log,
      time: { monotonicMs: process.monotonicMs, wallMs: process.wallMs },
      initialOffsetMs: this.#memory.clockOffsetMs,
      onOffset: (clockOffsetMs) => this.#remember({ ...this.#memory, clockOffsetMs }),
    });
    this.#giveBacks = new GiveBackQueue(process.monotonicMs);
    this.#testRunReports = new ReportQueue(process.monotonicMs, () => {});
    this.#results = new ResultRecorder({
      log,
      metrics: { runEnded: () => {}, resultRejected: () => {}, resultsDropped: () => {} },
      table: world.watchTable(machine.name, disk.tableFor(process)),
      spoolBytesMax: 64 * 1024 * 1024,
      monotonicMs: process.monotonicMs,
      setTimer: process.setTimer,
      onReadable: (count) => this.#session.resultsAvailable(count),
    });
    this.#slots = this.#makeSlots();
    const nothing = { learn: () => {} };
    this.#assignment = new AssignmentIntake({
      slots: this.#slots,
      specs: nothing,
      store: disk.assignmentsFor(process),
      log,
    });
    this.#session = this.#makeSession(nothing);
    this.#slots.graceMs = this.#memory.graceMs;
    this.#slots.markDone(this.#results.spool.newestSlots(50_000));
    this.#session.start();
    this.#cancelStoredAssignment = process.setTimer(
      () => this.#assignment.runStored(),
      STORED_ASSIGNMENT_AFTER_MS,
    );
  }

  /** Ends the agent in order, and calls back when its process has ended. */
  async drain(): Promise<void> {
    if (this.#isDraining) return;
    this.#isDraining = true;
    this.#assignment.drain();
    this.#cancelStoredAssignment();
    await drain({
      slots: this.#slots,
      spool: this.#results.spool,
      session: this.#session,
      giveBacks: this.#giveBacks,
      testRunReports: this.#testRunReports,
      artifacts: { idle: async () => undefined, close: () => undefined },
      abortRuns: this.#abortRuns,
      monotonicMs: this.process.monotonicMs,
      setTimer: this.process.setTimer,
    });
    await this.#results.spool.close();
    this.process.kill();
  }

  #makeSlots(): SlotRunner {
    const { process } = this;
    return new SlotRunner({
      nowMs: () => this.#clock.clock.nowMs(),
      setTimer: process.setTimer,
      probe: (_request, slot) => this.#probe(slot),
      onResult: (slot, result) => this.#results.record(slot, result),
      onGiveBack: (slot) => {
        const { record, scheduler, trace } = this.#world;
        trace.note(
          `${this.machine.name} gives back ${slot.checkKey}/${slot.locationKey}/${slot.slotMs}: ${slot.reason}`,
        );
        record.givenBack.push({ ...slot, atMs: scheduler.nowMs });
        this.#giveBacks.add(slot);
        queueMicrotask(() => this.#session.giveBacksAvailable());
      },
      onStart: () => {},
      warn: (message) => this.#world.fail(`${this.machine.name}: ${message}`),
      maxInFlight: MAX_IN_FLIGHT,
    });
  }

  #makeSession(specs: { learn: () => void }): Session {
    const { machine, process } = this;
    const { runnerUuid } = machine;
    const queue = new WatchedQueue(this.#results, { world: this.#world, agent: machine.name });
    return makeSession({
      config: { controlPlaneUrl: "http://model" },
      connect: (): RunnerConnection => this.#world.connect(this),
      random: this.#random.next,
      setTimer: process.setTimer,
      identity: {
        runnerUuid,
        processUuid: this.#world.newUuid(),
        agentVersion: "model",
        protocolVersion: 1,
        hostname: machine.name,
        capabilities: ["http"],
        capacityPerSecond: 100,
        locationIds: [],
        secretsPublicKey: new Uint8Array(),
        runsTests: false,
        limitsTestRuns: false,
        freshRuns: MAX_IN_FLIGHT,
        browserPages: 0,
      },
      clock: this.#clock,
      slots: this.#slots,
      specs,
      results: queue.recorder,
      giveBacks: this.#giveBacks,
      testRuns: new TestRuns(() => {}),
      testRunReports: this.#testRunReports,
      assignment: this.#assignment,
      load: () => ({
        activeRuns: this.#slots.activeRuns,
        assignedChecks: this.#slots.assignedChecks,
        backlogResults: this.#results.spool.stats().results,
        spoolBytes: this.#results.spool.stats().bytes,
        droppedResults: 0,
        latenessP99Ms: 0,
        loopBusyBasisPoints: 0,
        accepting: true,
        draining: this.#isDraining,
      }),
      onWelcome: ({ graceMs, hosted, acksGiveBacks }) => {
        const grace = this.#world.faults.noGrace ? Math.min(NO_GRACE_MS, graceMs) : graceMs;
        this.#remember({ ...this.#memory, isHosted: hosted, graceMs: grace });
        this.#slots.graceMs = grace;
        this.#results.sessionBegan();
        this.#giveBacks.sessionBegan({ isAcknowledged: acksGiveBacks });
        this.#world.sessionBegan(this);
      },
      onEnd: (end, isFirst) => {
        this.#giveBacks.connectionLost();
        this.#world.sessionEnded(this);
        this.#world.trace.note(`${machine.name} lost its session: ${end.line}`);
        if (isFirst && !this.#isDraining) this.#assignment.runStored();
      },
    });
  }

  /** Carries out a run: the target answers by its state at the begin, or the runner itself fails. */
  async #probe({ check: { checkKey }, locationKey, slotMs }: DueSlot): Promise<ProbeOutcome> {
    const { scheduler, targets, record, trace, plan } = this.#world;
    const beganAtMs = scheduler.nowMs;
    const startedAtMs = this.#clock.clock.nowMs();
    const wasDown = targets.isDown(checkKey, beganAtMs);
    const isFault = this.#random.chance(this.#world.areFaultsOver ? 0 : plan.runnerFaultProbability);
    const answerMs = this.#random.chance(0.02)
      ? this.#random.between(2_000, 12_000)
      : this.#random.between(20, 900);
    trace.note(`${this.machine.name} runs ${checkKey}/${locationKey}/${slotMs}`);
    record.runs.push({
      agent: this.machine.name,
      checkKey,
      locationKey,
      slotMs,
      beganAtMs,
      answerMs,
      wasDown,
    });
    const isAborted = await this.#untilOver(answerMs);
    if (isAborted) return { kind: "fault", reason: "draining", message: "aborted" };
    if (isFault) return { kind: "fault", reason: "network", message: "no network" };
    return {
      kind: "result",
      status: wasDown ? "failure" : "success",
      startedAtMs,
      responseTimeUs: Math.round(answerMs * 1_000),
      elapsedUs: Math.round(answerMs * 1_000),
      phases: {},
    };
  }

  /** Waits for the target. Resolves with true when the agent aborts its runs before. */
  #untilOver(elapsedMs: number): Promise<boolean> {
    const { signal } = this.#abortRuns;
    return new Promise((resolve) => {
      const end = (isAborted: boolean) => {
        cancel();
        signal.removeEventListener("abort", onAbort);
        resolve(isAborted);
      };
      const onAbort = () => end(true);
      const cancel = this.process.after(elapsedMs, () => end(false));
      signal.addEventListener("abort", onAbort);
    });
  }

  #remember(memory: SessionMemory): void {
    this.#memory = memory;
    const { disk } = this.machine;
    this.process.after(disk.slownessMs, () => {
      disk.memory = memory;
    });
  }
}
