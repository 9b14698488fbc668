/**
 * The agent: joins session, clock, slots and spool, which don't know each other. A result goes probe -> spool (durable) ->
 * session -> acknowledged -> deleted; a change of the assignment goes session -> slots and, sealed, to the data folder.
 */
import { performance } from "node:perf_hooks";
import { MINUTE_MS } from "@svc/contract";
import { OpenApiEngine } from "@svc/openapi";
import type { ProbeContext, ProbeHost, ProbeOutcome, ProbeRequest } from "@svc/probes";
import type { Welcome } from "@svc/proto/svc/runner/v1/runner_pb";
import type { Logger } from "pino";
import { type Artifacts, openArtifacts } from "../artifacts/open-artifacts.ts";
import type { Config } from "../base/config.ts";
import { setTimer } from "../base/timer.ts";
import { AGENT_VERSION } from "../base/version.ts";
import { ClockKeeper } from "../clock/clock-sync.ts";
import { AssignmentStore, type SessionMemory } from "../disk/assignment-store.ts";
import type { DataFolder } from "../disk/data-folder.ts";
import type { SpoolDatabase } from "../disk/database.ts";
import { type Metrics, makeMetrics } from "../health/metrics.ts";
import { type HealthServer, startHealthServer } from "../health/server.ts";
import { GiveBacks } from "../session/give-back-queue.ts";
import { Session } from "../session/session.ts";
import { SessionLog } from "../session/session-log.ts";
import type { StreamEnd } from "../session/stream-end.ts";
import { Admission } from "../slots/admission.ts";
import { SlotRunner } from "../slots/slot-runner.ts";
import type { DueSlot } from "../slots/slot-schedule.ts";
import { openSpecs } from "../specs/open-specs.ts";
import type { SpecSource } from "../specs/spec-source.ts";
import { agentIdentity } from "./agent-identity.ts";
import { agentLoad } from "./agent-load.ts";
import { AssignmentKeeper } from "./assignment-intake.ts";
import { drain } from "./drain.ts";
import { probeContext } from "./probe-context.ts";
import { ResultKeeper } from "./result-recorder.ts";

export interface AgentParts {
  config: Config;
  log: Logger;
  probe: (request: ProbeRequest, context: ProbeContext) => Promise<ProbeOutcome>;
  /** Check types that `probe` can run. */
  capabilities: readonly string[];
  /** Runs browser checks; undefined: this machine has no browser. */
  browser?: (ProbeHost & { close(): Promise<void> }) | undefined;
}

/** Why an agent can't go on. */
export type AgentFailure = "key_refused" | "data_folder_lost";

/** Without a first session for this long, the stored assignment is run: the control plane may be away for hours. */
const STORED_ASSIGNMENT_AFTER_MS = 3000;
const LOOP_SAMPLE_MS = 250;
/** Newest spooled results looked at after a restart, for the slots that must not run again. */
const HELD_SLOTS_MAX = 50_000;
/** Until a session has told otherwise: hosted, because that is the stricter egress policy. */
const NO_SESSION_YET: SessionMemory = { clockOffsetMs: 0, isHosted: true, graceMs: MINUTE_MS };

export class Agent {
  /** Settles when the agent can't go on; never because it is stopped. */
  readonly failed: Promise<AgentFailure>;
  readonly #fail: (failure: AgentFailure) => void;
  readonly #parts: AgentParts;
  readonly #folder: DataFolder;
  readonly #database: SpoolDatabase;
  readonly #store: AssignmentStore;
  readonly #clock: ClockKeeper;
  readonly #slots: SlotRunner;
  readonly #assignment: AssignmentKeeper;
  readonly #results: ResultKeeper;
  readonly #session: Session;
  readonly #sessionLog: SessionLog;
  readonly #admission: Admission;
  readonly #metrics: Metrics;
  readonly #giveBacks = new GiveBacks(() => performance.now());
  readonly #openApi = new OpenApiEngine();
  readonly #specs: SpecSource;
  readonly #artifacts: Artifacts;
  readonly #abortRuns = new AbortController();
  #memory: SessionMemory;
  #health: HealthServer | undefined;
  #isDraining = false;
  #loopSampling: NodeJS.Timeout | undefined;
  #cancelStoredAssignment = () => {};

  constructor(
    parts: AgentParts,
    folder: DataFolder,
    database: SpoolDatabase,
    failed: Promise<AgentFailure>,
    fail: (failure: AgentFailure) => void,
  ) {
    const { config, log } = parts;
    this.failed = failed;
    this.#fail = fail;
    this.#parts = parts;
    this.#folder = folder;
    this.#database = database;
    this.#store = new AssignmentStore(database, config.runnerKey, (error) =>
      log.warn(`the assignment could not be stored: ${error.message}`),
    );
    this.#memory = this.#store.recallSession() ?? NO_SESSION_YET;
    this.#clock = new ClockKeeper({
      log,
      initialOffsetMs: this.#memory.clockOffsetMs,
      onOffset: (clockOffsetMs) => this.#remember({ ...this.#memory, clockOffsetMs }),
    });
    this.#sessionLog = new SessionLog(log, () => performance.now());
    this.#admission = new Admission(config.maxInFlight, () => performance.eventLoopUtilization());
    this.#metrics = this.#makeMetrics();
    this.#results = this.#makeResults();
    this.#specs = openSpecs(folder.path, this.#openApi, config, log);
    this.#artifacts = openArtifacts(folder.path, config, log, () => this.#clock.clock.nowMs());
    this.#slots = this.#makeSlots();
    this.#assignment = new AssignmentKeeper(this.#slots, this.#specs, this.#store, log);
    this.#session = this.#makeSession();
  }

  /** Base of the health routes; undefined when they are off. */
  get healthUrl(): string | undefined {
    return this.#health?.url;
  }

  async start(): Promise<void> {
    const { healthHost, healthPort, controlPlaneUrl } = this.#parts.config;
    if (healthPort !== undefined) {
      this.#health = await startHealthServer({
        host: healthHost,
        port: healthPort,
        reasons: () => this.#notReadyReasons(),
        registry: this.#metrics.registry,
      });
    }
    this.#slots.graceMs = this.#memory.graceMs;
    this.#slots.markDone(this.#results.spool.newestSlots(HELD_SLOTS_MAX));
    const { runnerUuid: runner, path: dataDir } = this.#folder;
    this.#parts.log.info(
      { runner, dataDir, health: this.healthUrl, version: AGENT_VERSION },
      `svc-runner started; control plane ${controlPlaneUrl}`,
    );
    this.#session.start();
    this.#artifacts.keeper.start();
    this.#cancelStoredAssignment = setTimer(() => this.#assignment.runStored(), STORED_ASSIGNMENT_AFTER_MS);
    this.#loopSampling = setInterval(() => {
      this.#slots.inFlightLimit = this.#admission.sampleInFlightLimit(this.#slots.inFlightLimit);
    }, LOOP_SAMPLE_MS);
  }

  /** Drains: begins nothing more, ends what runs, flushes the spool, says goodbye. Once. */
  async stop(): Promise<void> {
    this.#isDraining = true;
    this.#cancelStoredAssignment();
    this.#parts.log.info({ activeRuns: this.#slots.activeRuns }, "draining");
    await drain({
      slots: this.#slots,
      spool: this.#results.spool,
      session: this.#session,
      artifacts: this.#artifacts.sender,
      abortRuns: this.#abortRuns,
    });
    clearInterval(this.#loopSampling);
    await this.#parts.browser?.close();
    await this.#store.flush();
    await this.#results.spool.close();
    await this.#openApi.close();
    await this.#health?.close();
    const { results } = this.#results.spool.stats();
    await this.#database.root.close();
    this.#folder.release();
    this.#parts.log.info({ resultsLeftInSpool: results }, "stopped");
  }

  #makeMetrics(): Metrics {
    return makeMetrics({
      runsInFlight: () => this.#slots.activeRuns,
      runsWaiting: () => this.#slots.waitingRuns,
      assignedChecks: () => this.#slots.assignedChecks,
      backlogResults: () => this.#results.spool.stats().results,
      spoolBytes: () => this.#results.spool.stats().bytes,
      artifactBytes: () => this.#artifacts.folder.bytes,
      isConnected: () => this.#session.isConnected,
      loopBusyShare: () => this.#admission.busyShare,
      clockOffsetMs: () => this.#clock.clock.offsetMs,
    });
  }

  #makeResults(): ResultKeeper {
    return new ResultKeeper({
      log: this.#parts.log,
      metrics: this.#metrics,
      database: this.#database,
      spoolBytesMax: this.#parts.config.spoolBytesMax,
      onReadable: (count) => this.#session.resultsAvailable(count),
    });
  }

  #makeSlots(): SlotRunner {
    const { config, log, probe } = this.#parts;
    const { clock } = this.#clock;
    const context = probeContext({
      signal: this.#abortRuns.signal,
      nowMs: () => clock.nowMs(),
      isPrivateAllowed: () => config.isPrivateEgressAllowed ?? !this.#memory.isHosted,
      openApiSpecs: this.#specs,
      bodyBytesMax: config.bodyBytesMax,
      browser: this.#parts.browser,
    });
    return new SlotRunner({
      nowMs: () => clock.nowMs(),
      setTimer,
      probe: (request, slot) =>
        probe(request, { ...context, artifacts: this.#artifacts.keeper.sinkFor(runOf(slot)) }),
      onResult: (slot, result) => {
        this.#results.take(slot, result);
        this.#artifacts.keeper.runEnded(runOf(slot), result.detail);
      },
      onGiveBack: (slot) => {
        this.#artifacts.keeper.runEnded(slot, undefined);
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
  }

  #makeSession(): Session {
    const { config, capabilities } = this.#parts;
    const identity = agentIdentity(config, this.#folder.runnerUuid, capabilities);
    return new Session({
      url: config.controlPlaneUrl,
      runnerKey: config.runnerKey,
      ca: config.ca,
      queue: this.#results.spool,
      localMs: () => this.#clock.clock.localMs(),
      random: Math.random,
      setTimer,
      hello: () => identity,
      load: () => agentLoad(this.#slots, this.#results.spool, this.#admission, this.#isDraining),
      takeGiveBacks: (max) => this.#giveBacks.take(max),
      onServerTime: (sentLocalMs, serverMs) => this.#clock.takeServerTime(sentLocalMs, serverMs),
      onWelcome: (welcome) => this.#takeWelcome(welcome),
      onSnapshot: (snapshot) => this.#assignment.takeSnapshot(snapshot),
      onDelta: (delta) => {
        this.#assignment.takeDelta(delta);
        this.#results.takeUnassignments(delta.unassignments);
      },
      onDispatch: (dispatch) => {
        this.#specs.learn([dispatch.check]);
        this.#slots.runNow(dispatch);
      },
      onRejected: (rejected) => this.#results.takeRejected(rejected),
      onEnd: (end, isFirst) => this.#takeStreamEnd(end, isFirst),
    });
  }

  #takeWelcome(welcome: Welcome): void {
    const { clockOffsetMs } = this.#memory;
    this.#remember({ clockOffsetMs, isHosted: welcome.hosted, graceMs: welcome.graceMs });
    this.#slots.graceMs = welcome.graceMs;
    this.#results.sessionBegan();
    this.#artifacts.sender.retryNow();
    this.#sessionLog.connected({
      runner: welcome.runnerId,
      controlPlaneVersion: welcome.controlPlaneVersion,
      locations: welcome.locations.map(({ locationId }) => locationId),
    });
  }

  #takeStreamEnd(end: StreamEnd, isFirst: boolean): void {
    this.#metrics.sessionEnded();
    this.#giveBacks.connectionLost();
    if (end.kind === "key_refused" && isFirst) {
      this.#parts.log.fatal(end.line);
      this.#fail("key_refused");
      return;
    }
    this.#sessionLog.ended(end);
    if (isFirst && !this.#isDraining) this.#assignment.runStored();
  }

  #remember(memory: SessionMemory): void {
    this.#memory = memory;
    this.#store.rememberSession(memory);
  }

  #notReadyReasons(): string[] {
    const reasons: string[] = [];
    const { trouble } = this.#sessionLog;
    if (trouble !== undefined) reasons.push(trouble);
    if (this.#results.trouble !== undefined) reasons.push(this.#results.trouble);
    if (this.#isDraining) reasons.push("draining");
    return reasons;
  }
}

function runOf({ check: { checkKey }, locationKey, slotMs }: DueSlot) {
  return { checkKey, locationKey, slotMs };
}
