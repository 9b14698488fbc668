/**
 * The agent: joins session, clock, slots and spool, which don't know each other. The way of a result: probe, spool
 * (durable), session, acknowledged, deleted. The way of a changed assignment: session, slots, and sealed to the data
 * folder.
 */
import { type LocationId, MINUTE_MS } from "@svc/contract";
import { OpenApiEngine } from "@svc/openapi";
import type { Welcome } from "@svc/proto/svc/runner/v1/runner_pb";
import type { Registry } from "prom-client";
import { type Artifacts, openArtifacts } from "../artifacts/open-artifacts.ts";
import { watchLoop } from "../base/loop-watch.ts";
import { setTimer } from "../base/timer.ts";
import { AGENT_VERSION } from "../base/version.ts";
import { ClockSync } from "../clock/clock-sync.ts";
import { AssignmentStore, type SessionMemory } from "../disk/assignment-store.ts";
import type { DataFolder } from "../disk/data-folder.ts";
import type { SpoolDatabase } from "../disk/database.ts";
import { openSecretsKey, type SecretsKey } from "../disk/secrets-key.ts";
import { type Metrics, makeMetrics } from "../health/metrics.ts";
import { type HealthServer, type HealthSources, startHealthServer } from "../health/server.ts";
import { GiveBackQueue } from "../session/give-back-queue.ts";
import { openRunnerConnection } from "../session/runner-connection.ts";
import type { Session } from "../session/session.ts";
import { SessionLog } from "../session/session-log.ts";
import type { AgentLoad } from "../session/session-parts.ts";
import type { StreamEnd } from "../session/stream-end.ts";
import { Admission } from "../slots/admission.ts";
import type { SlotRunner } from "../slots/slot-runner.ts";
import { openSpecs } from "../specs/open-specs.ts";
import type { SpecSource } from "../specs/spec-source.ts";
import { lmdbResultTable } from "../spool/result-table.ts";
import { ReportQueue } from "../test-runs/report-queue.ts";
import { TestRuns } from "../test-runs/test-runs.ts";
import { Vault } from "../vault/vault.ts";
import { agentIdentity } from "./agent-identity.ts";
import { agentLoad } from "./agent-load.ts";
import type { AgentFailure, AgentParts } from "./agent-parts.ts";
import { AssignmentIntake } from "./assignment-intake.ts";
import { drain, logStopped } from "./drain.ts";
import { makeSession } from "./make-session.ts";
import { makeSlots } from "./make-slots.ts";
import { ResultRecorder } from "./result-recorder.ts";

/** Time without a first session after which the stored assignment is run: the control plane may be away for hours. */
const STORED_ASSIGNMENT_AFTER_MS = 3000;
const LOOP_SAMPLE_MS = 250;
/** Most spooled results read after a restart for the slots that must not run again; the newest. */
const HELD_SLOTS_MAX = 50_000;
/** Assumed before the first session ever. Hosted, because that is the stricter egress policy. */
const NO_SESSION_YET: SessionMemory = { clockOffsetMs: 0, isHosted: true, graceMs: MINUTE_MS };

/** A running agent. Call `start` once, then `stop` once. */
export class Agent {
  /** Resolves when the agent can't go on; not when it is stopped. */
  readonly failed: Promise<AgentFailure>;
  readonly #fail: (failure: AgentFailure) => void;
  readonly #parts: AgentParts;
  readonly #folder: DataFolder;
  readonly #database: SpoolDatabase;
  readonly #secretsKey: SecretsKey;
  readonly #store: AssignmentStore;
  readonly #clock: ClockSync;
  readonly #slots: SlotRunner;
  readonly #assignment: AssignmentIntake;
  readonly #results: ResultRecorder;
  readonly #session: Session;
  readonly #sessionLog: SessionLog;
  readonly #admission: Admission;
  readonly #metrics: Metrics;
  readonly #giveBacks: GiveBackQueue;
  readonly #testRunReports: ReportQueue;
  readonly #testRuns = new TestRuns((report) => this.#testRunReports.add(report));
  readonly #openApi = new OpenApiEngine();
  readonly #specs: SpecSource;
  readonly #artifacts: Artifacts;
  readonly #abortRuns = new AbortController();
  #memory: SessionMemory;
  #health: HealthServer | undefined;
  #isDraining = false;
  #hasDeliveredAll = false;
  #loopSampling: NodeJS.Timeout | undefined;
  #cancelStoredAssignment = () => {};
  #endLoopWatch = () => {};

  constructor(parts: AgentParts) {
    const { config, log, machine, folder, database } = parts;
    this.failed = parts.failure.promise;
    this.#fail = parts.failure.resolve;
    this.#parts = parts;
    this.#folder = folder;
    this.#database = database;
    this.#secretsKey = openSecretsKey(folder.path);
    this.#store = new AssignmentStore(database, config.runnerKey, (error) =>
      log.warn(`the assignment could not be stored: ${error.message}`),
    );
    this.#memory = this.#store.recallSession() ?? NO_SESSION_YET;
    this.#clock = new ClockSync({
      log,
      time: machine,
      initialOffsetMs: this.#memory.clockOffsetMs,
      onOffset: (clockOffsetMs) => this.#remember({ ...this.#memory, clockOffsetMs }),
    });
    this.#giveBacks = new GiveBackQueue(machine.monotonicMs);
    this.#testRunReports = new ReportQueue(machine.monotonicMs, () =>
      queueMicrotask(() => this.#session.testRunReportsAvailable()),
    );
    this.#sessionLog = new SessionLog(log, machine.monotonicMs);
    this.#admission = new Admission(config.maxInFlight, () => performance.eventLoopUtilization());
    this.#metrics = this.#makeMetrics();
    this.#results = this.#makeResults();
    this.#specs = openSpecs({ dataFolder: folder.path, engine: this.#openApi, config, log, machine });
    this.#artifacts = openArtifacts({
      dataFolder: folder.path,
      config,
      log,
      nowMs: () => this.#clock.clock.nowMs(),
      random: machine.random,
    });
    this.#slots = this.#makeSlots();
    this.#assignment = new AssignmentIntake({
      slots: this.#slots,
      specs: this.#specs,
      store: this.#store,
      log,
    });
    this.#session = this.#makeSession();
  }

  /** Base URL of the health routes; undefined when they are off. */
  get healthUrl(): string | undefined {
    return this.#health?.url;
  }

  /** True once the agent has stopped and left nothing in its data folder that is to be sent. */
  get hasDeliveredAll(): boolean {
    return this.#hasDeliveredAll;
  }

  /** The agent's own metrics. */
  get registry(): Registry {
    return this.#metrics.registry;
  }

  /** The answers of the health routes, for whoever serves them. */
  get healthSources(): HealthSources {
    return { reasons: () => this.#notReadyReasons(), registry: this.registry };
  }

  /** Starts the health port, the session and the slots. */
  async start(): Promise<void> {
    const { healthHost, healthPort, controlPlaneUrl } = this.#parts.config;
    if (healthPort !== undefined) {
      this.#health = await startHealthServer({
        host: healthHost,
        port: healthPort,
        ...this.healthSources,
      });
    }
    this.#slots.graceMs = this.#memory.graceMs;
    this.#slots.markDone(this.#results.spool.newestSlots(HELD_SLOTS_MAX));
    const { runnerUuid: runner, path: dataDir } = this.#folder;
    this.#parts.log.info(
      { runner, dataDir, health: this.healthUrl, version: AGENT_VERSION },
      `svc-runner started; control plane ${controlPlaneUrl}`,
    );
    this.#endLoopWatch = watchLoop(this.#parts.machine.monotonicMs, ({ isReported, ...hold }) => {
      this.#metrics.loopHeld(hold.heldMs);
      if (isReported) this.#parts.log.warn(hold, "the event loop was held");
    });
    this.#session.start();
    this.#artifacts.ofRuns.start();
    this.#cancelStoredAssignment = setTimer(() => this.#assignment.runStored(), STORED_ASSIGNMENT_AFTER_MS);
    this.#loopSampling = setInterval(() => {
      this.#slots.inFlightLimit = this.#admission.sampleInFlightLimit(this.#slots.inFlightLimit);
    }, LOOP_SAMPLE_MS);
  }

  /** Drains the agent, and frees the data folder. Call it once. */
  async stop(): Promise<void> {
    this.#isDraining = true;
    this.#assignment.drain();
    this.#cancelStoredAssignment();
    this.#parts.log.info({ activeRuns: this.#slots.activeRuns }, "draining");
    await drain({
      slots: this.#slots,
      spool: this.#results.spool,
      session: this.#session,
      giveBacks: this.#giveBacks,
      testRunReports: this.#testRunReports,
      artifacts: this.#artifacts.sender,
      abortRuns: this.#abortRuns,
      monotonicMs: this.#parts.machine.monotonicMs,
      setTimer,
    });
    clearInterval(this.#loopSampling);
    this.#endLoopWatch();
    await this.#parts.browser?.close();
    await this.#store.flush();
    await this.#results.spool.close();
    await this.#openApi.close();
    await this.#health?.close();
    const { results } = this.#results.spool.stats();
    await this.#database.root.close();
    this.#folder.release();
    this.#hasDeliveredAll = results === 0 && this.#artifacts.folder.bytes === 0;
    logStopped(this.#parts.log, results, this.#folder.path);
  }

  #makeMetrics(): Metrics {
    return makeMetrics(this.#parts.config.process?.number, {
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

  #makeResults(): ResultRecorder {
    return new ResultRecorder({
      log: this.#parts.log,
      metrics: this.#metrics,
      table: lmdbResultTable(this.#database),
      spoolBytesMax: this.#parts.config.spoolBytesMax,
      monotonicMs: this.#parts.machine.monotonicMs,
      setTimer,
      onReadable: (count) => this.#session.resultsAvailable(count),
    });
  }

  #makeSlots(): SlotRunner {
    const { config, log, machine, probe, browser } = this.#parts;
    return makeSlots({
      config,
      log,
      machine,
      probe,
      browser,
      nowMs: () => this.#clock.clock.nowMs(),
      isHosted: () => this.#memory.isHosted,
      locationIdOf: (locationKey) => this.#memory.locationIds?.[locationKey],
      abortRuns: this.#abortRuns.signal,
      specs: this.#specs,
      artifacts: this.#artifacts.ofRuns,
      admission: this.#admission,
      metrics: this.#metrics,
      results: this.#results,
      vault: new Vault(this.#secretsKey, () => this.#clock.clock.nowMs()),
      testRuns: this.#testRuns,
      onGiveBack: (slot) => {
        this.#giveBacks.add(slot);
        queueMicrotask(() => this.#session.giveBacksAvailable());
      },
    });
  }

  #makeSession(): Session {
    const { config, machine, browser, capabilities } = this.#parts;
    return makeSession({
      config,
      connect: () =>
        openRunnerConnection({
          url: config.controlPlaneUrl,
          runnerKey: config.runnerKey,
          ca: config.ca,
          setTimer,
        }),
      random: machine.random,
      setTimer,
      identity: agentIdentity(
        config,
        {
          runnerUuid: this.#folder.runnerUuid,
          secretsPublicKey: this.#secretsKey.publicKey,
          browserPages: browser?.pagesMax ?? 0,
          limitsTestRuns: browser?.limitsTraffic ?? false,
        },
        capabilities,
      ),
      clock: this.#clock,
      slots: this.#slots,
      specs: this.#specs,
      results: this.#results,
      giveBacks: this.#giveBacks,
      testRuns: this.#testRuns,
      testRunReports: this.#testRunReports,
      assignment: this.#assignment,
      load: () => this.#load(),
      onWelcome: (welcome) => this.#handleWelcome(welcome),
      onEnd: (end, isFirst) => this.#handleStreamEnd(end, isFirst),
    });
  }

  #load(): AgentLoad {
    return agentLoad({
      slots: this.#slots,
      spool: this.#results.spool,
      admission: this.#admission,
      isDraining: this.#isDraining,
    });
  }

  #handleWelcome(welcome: Welcome): void {
    const { clockOffsetMs } = this.#memory;
    const locationIds = Object.fromEntries(
      welcome.locations.map(({ locationKey, locationId }) => [locationKey, locationId as LocationId]),
    );
    this.#remember({ clockOffsetMs, isHosted: welcome.hosted, graceMs: welcome.graceMs, locationIds });
    this.#slots.graceMs = welcome.graceMs;
    this.#results.sessionBegan();
    this.#giveBacks.sessionBegan({ isAcknowledged: welcome.acksGiveBacks });
    this.#testRunReports.sessionBegan({ isAcknowledged: welcome.acksTestRunReports });
    this.#artifacts.sender.retryNow();
    this.#sessionLog.connected({
      runner: welcome.runnerId,
      controlPlaneVersion: welcome.controlPlaneVersion,
      locations: welcome.locations.map(({ locationId }) => locationId),
    });
  }

  #handleStreamEnd(end: StreamEnd, isFirst: boolean): void {
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
