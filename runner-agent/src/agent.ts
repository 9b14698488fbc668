/**
 * The agent: joins session, clock, slots and spool, which don't know each other. A result goes probe -> spool (durable) ->
 * session -> acknowledged -> deleted; a change of the assignment goes session -> slots and, sealed, to the data folder.
 */
import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { hostname } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { OpenApiEngine } from "@svc/openapi";
import type { ProbeContext, ProbeOutcome, ProbeRequest, RunResult } from "@svc/probes";
import type { Welcome } from "@svc/proto/svc/runner/v1/runner_pb";
import type { Logger } from "pino";
import { AssignmentKeeper } from "./assignment-keeper.ts";
import { ClockKeeper } from "./clock-keeper.ts";
import type { Config } from "./config.ts";
import { drain } from "./drain.ts";
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
import { specFetcher } from "./specs/fetch-spec.ts";
import { SpecCache } from "./specs/spec-cache.ts";
import { SpecSource } from "./specs/spec-source.ts";
import { AssignmentStore, type SessionMemory } from "./spool/assignment-store.ts";
import { type DataFolder, openDataFolder } from "./spool/data-folder.ts";
import { openDatabase, type SpoolDatabase } from "./spool/database.ts";
import { lackOfRoom, SMALL_RESERVE_BYTES } from "./spool/disk-room.ts";
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
const LOOP_SAMPLE_MS = 250;
/** Newest spooled results looked at after a restart, for the slots that must not run again. */
const HELD_SLOTS_MAX = 50_000;
/** How often a full disk is looked at again before the start. */
const ROOM_LOOK_MS = 2000;
/** Until a session has told otherwise: hosted, because that is the stricter egress policy. */
const NO_SESSION_YET: SessionMemory = { clockOffsetMs: 0, isHosted: true, graceMs: 60_000 };

/** Starts an agent. @throws DataFolderError, or the health port's error, when it can't start */
export async function startAgent(parts: AgentParts): Promise<Agent> {
  let fail: (failure: AgentFailure) => void = () => {};
  const failed = new Promise<AgentFailure>((resolve) => {
    fail = resolve;
  });
  const folder = await openDataFolder(parts.config.dataDir, () => fail("data_folder_lost"));
  await waitForRoom(folder.path, parts.log);
  const database = openDatabase(folder.path, (path, error) =>
    parts.log.error(
      `the spool could not be opened (${error.message}); moved to ${path}, starting with an empty one`,
    ),
  );
  const agent = new Agent(parts, folder, database, failed, fail);
  await agent.start();
  return agent;
}

/** A full disk ends some day; a process that ended because of it would only be started again. */
async function waitForRoom(folder: string, log: Logger): Promise<void> {
  let lack = lackOfRoom(folder, SMALL_RESERVE_BYTES);
  if (lack === undefined) return;
  log.error(`waiting for room in the data folder ${folder}: ${lack}`);
  for (; lack !== undefined; lack = lackOfRoom(folder, SMALL_RESERVE_BYTES)) await sleep(ROOM_LOOK_MS);
}

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
  readonly #spool: Spool;
  readonly #session: Session;
  readonly #sessionLog: SessionLog;
  readonly #admission: Admission;
  readonly #metrics: Metrics;
  readonly #facts = new FactFilter();
  readonly #giveBacks = new GiveBacks(() => performance.now());
  readonly #openApi = new OpenApiEngine();
  readonly #specs: SpecSource;
  readonly #abortRuns = new AbortController();
  #memory: SessionMemory;
  #health: HealthServer | undefined;
  #isDraining = false;
  #haveFactsBeenDropped = false;
  #spoolError: string | undefined;
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
    this.#spool = this.#makeSpool();
    this.#specs = this.#makeSpecs();
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
    this.#slots.markDone(this.#spool.newestSlots(HELD_SLOTS_MAX));
    const { runnerUuid: runner, path: dataDir } = this.#folder;
    this.#parts.log.info(
      { runner, dataDir, health: this.healthUrl, version: AGENT_VERSION },
      `svc-runner started; control plane ${controlPlaneUrl}`,
    );
    this.#session.start();
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
      spool: this.#spool,
      session: this.#session,
      abortRuns: this.#abortRuns,
    });
    clearInterval(this.#loopSampling);
    await this.#store.flush();
    await this.#spool.close();
    await this.#openApi.close();
    await this.#health?.close();
    const { results } = this.#spool.stats();
    await this.#database.root.close();
    this.#folder.release();
    this.#parts.log.info({ resultsLeftInSpool: results }, "stopped");
  }

  #makeMetrics(): Metrics {
    return makeMetrics({
      runsInFlight: () => this.#slots.activeRuns,
      runsWaiting: () => this.#slots.waitingRuns,
      assignedChecks: () => this.#slots.assignedChecks,
      backlogResults: () => this.#spool.stats().results,
      spoolBytes: () => this.#spool.stats().bytes,
      isConnected: () => this.#session.isConnected,
      loopBusyShare: () => this.#admission.busyShare,
      clockOffsetMs: () => this.#clock.clock.offsetMs,
    });
  }

  #makeSpool(): Spool {
    const { config, log } = this.#parts;
    return new Spool({
      table: lmdbResultTable(this.#database),
      bytesMax: config.spoolBytesMax,
      setTimer,
      onReadable: (count) => this.#session.resultsAvailable(count),
      onDropped: (count) => {
        this.#metrics.resultsDropped(count);
        this.#haveFactsBeenDropped = true;
        log.error({ count }, "the spool is full: the oldest results were dropped");
      },
      onHealth: (error) => {
        this.#spoolError = error;
        if (error === undefined) log.info("the spool can be written again");
        else log.error(`${error}; results are kept in memory and sent from there`);
      },
    });
  }

  #makeSpecs(): SpecSource {
    const { controlPlaneUrl: url, runnerKey, ca } = this.#parts.config;
    return new SpecSource({
      engine: this.#openApi,
      cache: new SpecCache(join(this.#folder.path, "api-specs")),
      fetch: specFetcher({ url, runnerKey, ca, setTimer }),
      nowMs: () => performance.now(),
      warn: (message, fields) => this.#parts.log.warn(fields, message),
    });
  }

  #makeSlots(): SlotRunner {
    const { config, log, probe } = this.#parts;
    const { clock } = this.#clock;
    const isPrivateAllowed = () => config.isPrivateEgressAllowed ?? !this.#memory.isHosted;
    setMaxListeners(0, this.#abortRuns.signal);
    const context: ProbeContext = {
      signal: this.#abortRuns.signal,
      // The pool's default is known from the Welcome on.
      get allowPrivateAddresses() {
        return isPrivateAllowed();
      },
      nowMs: () => clock.nowMs(),
      userAgent: `svc-runner/${AGENT_VERSION}`,
      openApiSpecs: this.#specs,
    };
    return new SlotRunner({
      nowMs: () => clock.nowMs(),
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
  }

  #makeSession(): Session {
    const { config, log, capabilities } = this.#parts;
    const { runnerUuid } = this.#folder;
    const processUuid = randomUUID();
    return new Session({
      url: config.controlPlaneUrl,
      runnerKey: config.runnerKey,
      ca: config.ca,
      queue: this.#spool,
      localMs: () => this.#clock.clock.localMs(),
      random: Math.random,
      setTimer,
      hello: () => ({
        protocolVersion: PROTOCOL_VERSION,
        runnerUuid,
        processUuid,
        agentVersion: AGENT_VERSION,
        hostname: hostname(),
        capabilities: [...capabilities],
        capacityPerSecond: config.capacityPerSecond,
        locationIds: config.locationIds,
      }),
      load: () => this.#load(),
      takeGiveBacks: (max) => this.#giveBacks.take(max),
      onServerTime: (sentLocalMs, serverMs) => this.#clock.takeServerTime(sentLocalMs, serverMs),
      onWelcome: (welcome) => this.#takeWelcome(welcome),
      onSnapshot: (snapshot) => this.#assignment.takeSnapshot(snapshot),
      onDelta: (delta) => this.#assignment.takeDelta(delta),
      onRunNow: (order) => {
        this.#specs.learn([order.check]);
        this.#slots.runNow(order);
      },
      onRejected: ({ record, reason }) => {
        this.#metrics.resultRejected();
        this.#facts.forget(record);
        log.warn({ checkKey: record.checkKey, slotMs: record.slotMs }, `a result was not stored: ${reason}`);
      },
      onEnd: (end, isFirst) => this.#takeStreamEnd(end, isFirst),
    });
  }

  #takeResult(slot: DueSlot, result: RunResult): void {
    const { checkKey } = slot.check;
    const { locationKey, slotMs } = slot;
    const facts = this.#facts.takeChanged(checkKey, locationKey, result.facts, performance.now());
    this.#spool.append(recordOf({ checkKey, locationKey, slotMs }, result, facts));
    this.#metrics.runEnded(result.status);
  }

  #takeWelcome(welcome: Welcome): void {
    const { clockOffsetMs } = this.#memory;
    this.#remember({ clockOffsetMs, isHosted: welcome.hosted, graceMs: welcome.graceMs });
    this.#slots.graceMs = welcome.graceMs;
    if (this.#haveFactsBeenDropped) this.#facts.clear();
    this.#haveFactsBeenDropped = false;
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
}
