/**
 * The agent: joins session, clock, slots and spool, which don't know each other. A result goes probe -> spool (durable) ->
 * session -> acknowledged -> deleted; a change of the assignment goes session -> slots and, sealed, to the data folder.
 */
import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { hostname } from "node:os";
import { performance } from "node:perf_hooks";
import type { ProbeContext, ProbeOutcome, ProbeRequest, RunResult } from "@svc/probes";
import type { Welcome } from "@svc/proto/svc/runner/v1/runner_pb";
import type { Logger } from "pino";
import type { AssignmentDelta, AssignmentSnapshot } from "./assignment.ts";
import { CorrectedClock } from "./clock.ts";
import type { Config } from "./config.ts";
import { FactFilter } from "./fact-filter.ts";
import { GiveBacks } from "./give-backs.ts";
import { type Metrics, makeMetrics } from "./health/metrics.ts";
import { type HealthServer, startHealthServer } from "./health/server.ts";
import { recordOf } from "./result-record.ts";
import { type AgentLoad, Session } from "./session/session.ts";
import type { StreamEnd } from "./session/stream-end.ts";
import { SessionLog } from "./session-log.ts";
import { Admission } from "./slots/admission.ts";
import { SlotRunner } from "./slots/slot-runner.ts";
import type { DueSlot } from "./slots/slot-schedule.ts";
import { AssignmentStore, type SessionMemory } from "./spool/assignment-store.ts";
import { type DataFolder, openDataFolder } from "./spool/data-folder.ts";
import { openDatabase, type SpoolDatabase } from "./spool/database.ts";
import { lmdbResultTable } from "./spool/result-table.ts";
import { Spool } from "./spool/spool.ts";
import { setTimer } from "./timer.ts";
import { AGENT_VERSION, PROTOCOL_VERSION } from "./version.ts";

export interface AgentParts {
  config: Config;
  log: Logger;
  probe: (request: ProbeRequest, context: ProbeContext) => Promise<ProbeOutcome>;
  /** Check types that `probe` can run. */
  capabilities: readonly string[];
}

/** Why an agent can't go on. */
export type AgentFailure = "key_refused" | "data_folder_lost";

/** Without a first session for this long, the stored assignment is run: the control plane may be away for hours. */
const STORED_ASSIGNMENT_AFTER_MS = 3000;
/** A clock further off than this is worth a line. */
const SKEW_TOLD_MS = 2000;
/** A change of the clock's offset that is worth writing down for the next start. */
const OFFSET_REMEMBERED_MS = 100;
const LOOP_SAMPLE_MS = 250;
/** Newest spooled results looked at after a restart, for the slots that must not run again. */
const HELD_SLOTS_MAX = 50_000;
/** On stopping: time for what runs to end, and for what is spooled to be acknowledged. */
const DRAIN_RUNS_MS = 10_000;
const DRAIN_FLUSH_MS = 5000;

/** Starts an agent. @throws DataFolderError, or the health port's error, when it can't start */
export async function startAgent(parts: AgentParts): Promise<Agent> {
  let fail: (failure: AgentFailure) => void = () => {};
  const failed = new Promise<AgentFailure>((resolve) => {
    fail = resolve;
  });
  const folder = await openDataFolder(parts.config.dataDir, () => fail("data_folder_lost"));
  const database = openDatabase(folder.path, (path, error) =>
    parts.log.error(
      `the spool could not be opened (${error.message}); moved to ${path}, starting with an empty one`,
    ),
  );
  const agent = new Agent(parts, folder, database, failed, fail);
  await agent.start();
  return agent;
}

export class Agent {
  /** Settles when the agent can't go on; never because it is stopped. */
  readonly failed: Promise<AgentFailure>;
  readonly #fail: (failure: AgentFailure) => void;
  readonly #config: Config;
  readonly #log: Logger;
  readonly #folder: DataFolder;
  readonly #database: SpoolDatabase;
  readonly #store: AssignmentStore;
  readonly #clock: CorrectedClock;
  readonly #slots: SlotRunner;
  readonly #spool: Spool;
  readonly #session: Session;
  readonly #sessionLog: SessionLog;
  readonly #admission: Admission;
  readonly #metrics: Metrics;
  readonly #facts = new FactFilter();
  readonly #giveBacks = new GiveBacks();
  readonly #abortRuns = new AbortController();
  #memory: SessionMemory;
  #health: HealthServer | undefined;
  #hasAssignment = false;
  #isDraining = false;
  #hasToldSkew = false;
  #spoolError: string | undefined;
  #onProgress: (() => void) | undefined;
  #loopSampling: NodeJS.Timeout | undefined;
  #cancelStoredAssignment = () => {};

  constructor(
    { config, log, probe, capabilities }: AgentParts,
    folder: DataFolder,
    database: SpoolDatabase,
    failed: Promise<AgentFailure>,
    fail: (failure: AgentFailure) => void,
  ) {
    this.failed = failed;
    this.#fail = fail;
    this.#config = config;
    this.#log = log;
    this.#folder = folder;
    this.#database = database;
    this.#store = new AssignmentStore(database, config.runnerKey, (error) =>
      log.warn(`the assignment could not be stored: ${error.message}`),
    );
    this.#memory = this.#store.recallSession() ?? { clockOffsetMs: 0, isHosted: true, graceMs: 60_000 };
    this.#clock = new CorrectedClock(
      { monotonicMs: () => performance.now(), wallMs: () => Date.now() },
      this.#memory.clockOffsetMs,
    );
    const nowMs = () => this.#clock.nowMs();
    this.#admission = new Admission(config.maxInFlight, () => performance.eventLoopUtilization());
    this.#metrics = makeMetrics({
      runsInFlight: () => this.#slots.activeRuns,
      runsWaiting: () => this.#slots.waitingRuns,
      assignedChecks: () => this.#slots.assignedChecks,
      backlogResults: () => this.#spool.stats().results,
      spoolBytes: () => this.#spool.stats().bytes,
      isConnected: () => this.#session.isConnected,
      loopBusyShare: () => this.#admission.busyShare,
      clockOffsetMs: () => this.#clock.offsetMs,
    });
    this.#spool = new Spool({
      table: lmdbResultTable(database.results),
      bytesMax: config.spoolBytesMax,
      setTimer,
      onReadable: (count) => this.#session.resultsAvailable(count),
      onDropped: (count) => {
        this.#metrics.resultsDropped(count);
        log.error({ count }, "the spool is full: the oldest results were dropped");
      },
      onHealth: (error) => this.#takeSpoolHealth(error),
    });
    setMaxListeners(0, this.#abortRuns.signal);
    const isPrivateAllowed = () => config.isPrivateEgressAllowed ?? !this.#memory.isHosted;
    const context: ProbeContext = {
      signal: this.#abortRuns.signal,
      // The pool's default is known from the Welcome on.
      get allowPrivateAddresses() {
        return isPrivateAllowed();
      },
      nowMs,
      userAgent: `svc-runner/${AGENT_VERSION}`,
    };
    this.#slots = new SlotRunner({
      nowMs,
      setTimer,
      probe: (request) => probe(request, context),
      onResult: (slot, result) => this.#takeResult(slot, result),
      onGiveBack: (slot) => {
        this.#metrics.runGivenBack(slot.reason);
        this.#giveBacks.add(slot);
        queueMicrotask(() => this.#session.giveBacksAvailable());
      },
      onStart: (latenessMs) => {
        this.#admission.recordLateness(latenessMs);
        this.#metrics.runStarted(latenessMs);
      },
      warn: (message, fields) => log.error(fields, message),
      maxInFlight: config.maxInFlight,
    });
    this.#sessionLog = new SessionLog(log, () => performance.now());
    const processUuid = randomUUID();
    this.#session = new Session({
      url: config.controlPlaneUrl,
      runnerKey: config.runnerKey,
      ca: config.ca,
      queue: this.#spool,
      localMs: () => this.#clock.localMs(),
      random: Math.random,
      setTimer,
      hello: () => ({
        protocolVersion: PROTOCOL_VERSION,
        runnerUuid: folder.runnerUuid,
        processUuid,
        agentVersion: AGENT_VERSION,
        hostname: hostname(),
        capabilities: [...capabilities],
        capacityPerSecond: config.capacityPerSecond,
        locationIds: config.locationIds,
      }),
      load: () => this.#load(),
      takeGiveBacks: (max) => this.#giveBacks.take(max),
      onServerTime: (sentLocalMs, serverMs) => this.#takeServerTime(sentLocalMs, serverMs),
      onWelcome: (welcome) => this.#takeWelcome(welcome),
      onSnapshot: (snapshot) => this.#takeSnapshot(snapshot),
      onDelta: (delta) => this.#takeDelta(delta),
      onRunNow: (order) => this.#slots.runNow(order),
      onRejected: ({ record, reason }) => {
        this.#metrics.resultRejected();
        this.#facts.forget(record);
        log.warn({ checkKey: record.checkKey, slotMs: record.slotMs }, `a result was not stored: ${reason}`);
      },
      onAcknowledged: () => this.#onProgress?.(),
      onEnd: (end, isFirst) => this.#takeStreamEnd(end, isFirst),
    });
  }

  /** Base of the health routes; undefined when they are off. */
  get healthUrl(): string | undefined {
    return this.#health?.url;
  }

  async start(): Promise<void> {
    const { healthHost, healthPort } = this.#config;
    if (healthPort !== undefined) {
      this.#health = await startHealthServer({
        host: healthHost,
        port: healthPort,
        reasons: () => this.#notReadyReasons(),
        registry: this.#metrics.registry,
      });
    }
    this.#slots.graceMs = this.#memory.graceMs;
    this.#slots.markDone(this.#spool.newestSlots(HELD_SLOTS_MAX));
    this.#log.info(
      {
        runner: this.#folder.runnerUuid,
        dataDir: this.#folder.path,
        health: this.#health?.url,
        version: AGENT_VERSION,
      },
      `svc-runner started; control plane ${this.#config.controlPlaneUrl}`,
    );
    this.#session.start();
    this.#cancelStoredAssignment = setTimer(() => this.#runStoredAssignment(), STORED_ASSIGNMENT_AFTER_MS);
    this.#loopSampling = setInterval(() => {
      this.#slots.inFlightLimit = this.#admission.sampleInFlightLimit(this.#slots.inFlightLimit);
    }, LOOP_SAMPLE_MS);
  }

  /** Drains: begins nothing more, ends what runs, flushes the spool, says goodbye. Once. */
  async stop(): Promise<void> {
    this.#isDraining = true;
    this.#cancelStoredAssignment();
    this.#log.info({ activeRuns: this.#slots.activeRuns }, "draining");
    this.#slots.stop();
    this.#session.heartbeat();
    await within(DRAIN_RUNS_MS, this.#slots.idle());
    this.#abortRuns.abort();
    await within(1000, this.#slots.idle());
    await this.#spool.flush();
    if (this.#session.isConnected) {
      this.#session.sendResults();
      await within(DRAIN_FLUSH_MS, this.#delivered());
    }
    await this.#session.close();
    clearInterval(this.#loopSampling);
    await this.#store.flush();
    await this.#spool.close();
    await this.#health?.close();
    const { results } = this.#spool.stats();
    await this.#database.root.close();
    this.#folder.release();
    this.#log.info({ resultsLeftInSpool: results }, "stopped");
  }

  #takeResult(slot: DueSlot, result: RunResult): void {
    const { checkKey } = slot.check;
    const { locationKey, slotMs } = slot;
    const facts = this.#facts.takeChanged(checkKey, locationKey, result.facts, performance.now());
    this.#spool.append(recordOf({ checkKey, locationKey, slotMs }, result, facts));
    this.#metrics.runEnded(result.status);
  }

  #takeServerTime(sentLocalMs: number, serverMs: number): void {
    this.#clock.addSample({ sentLocalMs, serverMs, receivedLocalMs: this.#clock.localMs() });
    const { offsetMs } = this.#clock;
    if (Math.abs(offsetMs - this.#memory.clockOffsetMs) > OFFSET_REMEMBERED_MS) {
      this.#memory = { ...this.#memory, clockOffsetMs: offsetMs };
      this.#store.rememberSession(this.#memory);
    }
    if (Math.abs(offsetMs) > SKEW_TOLD_MS && !this.#hasToldSkew) {
      this.#hasToldSkew = true;
      this.#log.warn(
        `clock skew: this machine's clock is ${(Math.abs(offsetMs) / 1000).toFixed(1)} s ${offsetMs > 0 ? "behind" : "ahead of"} the control plane's; slots follow the control plane`,
      );
    }
  }

  #takeWelcome(welcome: Welcome): void {
    this.#memory = {
      clockOffsetMs: this.#clock.offsetMs,
      isHosted: welcome.hosted,
      graceMs: welcome.graceMs,
    };
    this.#store.rememberSession(this.#memory);
    this.#slots.graceMs = welcome.graceMs;
    this.#sessionLog.connected({
      runner: welcome.runnerId,
      controlPlaneVersion: welcome.controlPlaneVersion,
      locations: welcome.locations.map(({ locationId }) => locationId),
    });
    if (this.#isDraining) this.#session.heartbeat();
  }

  #takeSnapshot(snapshot: AssignmentSnapshot): void {
    this.#hasAssignment = true;
    this.#slots.applySnapshot(snapshot);
    this.#store.replace(snapshot);
    this.#log.info({ checks: this.#slots.assignedChecks }, "assignment taken over");
  }

  #takeDelta(delta: AssignmentDelta): void {
    this.#slots.applyDelta(delta);
    this.#store.change(delta);
  }

  /** A restart while the control plane is away: what it last assigned is run. */
  #runStoredAssignment(): void {
    if (this.#hasAssignment || this.#isDraining) return;
    const stored = this.#store.load();
    if (stored === undefined) return;
    this.#hasAssignment = true;
    this.#slots.applySnapshot(stored);
    this.#log.warn(
      { checks: stored.checks.length },
      "no control plane yet: running the assignment of the last session",
    );
  }

  #takeStreamEnd(end: StreamEnd, isFirst: boolean): void {
    this.#metrics.reconnected();
    if (end.kind === "key_refused" && isFirst) {
      this.#log.fatal(end.line);
      this.#fail("key_refused");
      return;
    }
    this.#sessionLog.ended(end);
    if (isFirst) this.#runStoredAssignment();
    this.#onProgress?.();
  }

  #takeSpoolHealth(error: string | undefined): void {
    this.#spoolError = error;
    if (error === undefined) this.#log.info("the spool can be written again");
    else this.#log.error(`${error}; results are kept in memory and sent from there`);
  }

  #load(): AgentLoad {
    const { results, bytes, dropped } = this.#spool.stats();
    const report = this.#admission.takeReport();
    return {
      ...report,
      accepting: report.accepting && !this.#isDraining,
      activeRuns: this.#slots.activeRuns,
      assignedChecks: this.#slots.assignedChecks,
      backlogResults: results,
      spoolBytes: bytes,
      droppedResults: dropped,
      draining: this.#isDraining,
    };
  }

  #notReadyReasons(): string[] {
    const reasons: string[] = [];
    const { trouble } = this.#sessionLog;
    if (trouble !== undefined) reasons.push(trouble);
    if (this.#spoolError !== undefined) reasons.push(this.#spoolError);
    if (this.#isDraining) reasons.push("draining");
    return reasons;
  }

  /** Resolves when the spool is empty, or there is nobody left to deliver to. */
  async #delivered(): Promise<void> {
    while (this.#session.isConnected && this.#spool.stats().results > 0) {
      await new Promise<void>((resolve) => {
        const cancel = setTimer(resolve, 20);
        this.#onProgress = () => {
          cancel();
          resolve();
        };
      });
    }
  }
}

/** Waits for `work`, no longer than `limitMs`. */
async function within(limitMs: number, work: Promise<void>): Promise<void> {
  let cancel = () => {};
  const limit = new Promise<void>((resolve) => {
    cancel = setTimer(resolve, limitMs);
  });
  await Promise.race([work, limit]);
  cancel();
}
