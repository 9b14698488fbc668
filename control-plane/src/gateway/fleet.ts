/**
 * A replica's part of the fleet. Joins the watch over the database with the sessions and the dispatches of this replica:
 * each change that the watch finds is passed to the sessions that it concerns.
 */
import { randomUUID } from "node:crypto";
import type { GivenBackSlot } from "@svc/proto/svc/runner/v1/runner_pb";
import type { FleetState } from "../fleet/fleet-state.ts";
import { type FleetUpdate, FleetWatch } from "../fleet/fleet-watch.ts";
import { HANDOVER_MS } from "../fleet/timing.ts";
import { arrangeTouched } from "../fleet/touched.ts";
import type { Services } from "../platform/services.ts";
import { systemTiming, type Timing } from "../platform/timing.ts";
import type { Ingester } from "../results/ingest/ingester.ts";
import { Dispatcher } from "./dispatcher.ts";
import type { GatewayStore } from "./gateway-store.ts";
import type { FleetMetrics } from "./metrics.ts";
import { OutageRecorder } from "./outage-recorder.ts";
import { recordGivenBack } from "./record-given-back.ts";
import { RunSpans } from "./run-spans.ts";
import { type SessionServices, Sessions } from "./sessions.ts";

/** Times that tests shorten. */
export interface FleetTiming {
  handoverMs?: number;
  pollIntervalMs?: number;
  recoveryHoldMs?: number;
}

/** Services and settings that the composition root hands to a `Fleet`. */
export interface FleetParts {
  services: SessionServices & Pick<Services, "secrets">;
  store: GatewayStore;
  /** The memory that the fleet keeps current; others may read it. */
  state: FleetState;
  ingester: Ingester;
  metrics: FleetMetrics;
  /** Version of the control plane's software, sent to agents. */
  version: string;
  timing?: FleetTiming | undefined;
  /** Clock and timers; default: the process's own. */
  processTiming?: Timing | undefined;
  /** Default: a random UUID. */
  newSessionId?: (() => string) | undefined;
}

/** Runs a replica's sessions, its watch over the fleet and its dispatches until it is closed. */
export class Fleet {
  readonly sessions: Sessions;
  /** Spans of traced dispatches and their runs; is to hear of stored results. */
  readonly runSpans: RunSpans;
  readonly #parts: FleetParts;
  readonly #processTiming: Timing;
  readonly #watch: FleetWatch;
  readonly #dispatcher: Dispatcher;
  readonly #outages: OutageRecorder;

  constructor(parts: FleetParts) {
    const { services, store, state, ingester, version, timing = {}, processTiming = systemTiming } = parts;
    this.#parts = parts;
    this.#processTiming = processTiming;
    this.runSpans = new RunSpans(state);
    this.sessions = new Sessions({
      services,
      store,
      timing: processTiming,
      newSessionId: parts.newSessionId ?? randomUUID,
      state,
      ingester,
      version,
      handoverMs: timing.handoverMs ?? HANDOVER_MS,
      refreshFleet: (options) => this.#watch.refresh(options),
      giveBack: (runnerKey, slots) => this.#giveBack(runnerKey, slots),
      receiveTestRunReport: (report, runnerKey) => store.receiveTestRunReport(report, runnerKey),
      onSnapshotSent: () => this.#dispatcher.send(),
    });
    this.#dispatcher = new Dispatcher({
      services,
      store,
      state,
      sessionOf: (runnerKey) => this.sessions.findLive(runnerKey),
      runSpans: this.runSpans,
    });
    this.#outages = new OutageRecorder({
      store,
      replicaId: services.replicaId,
      nowMs: () => services.clock.nowMs(),
      monotonicMs: processTiming.monotonicMs,
    });
    this.#watch = new FleetWatch({
      source: store.fleet,
      log: services.log,
      state,
      nowMs: () => services.clock.nowMs(),
      beforePoll: () => {
        this.#outages.pollBegins();
        return this.sessions.renewLeases();
      },
      onUpdate: (update) => this.#apply(update),
      pollIntervalMs: timing.pollIntervalMs,
      recoveryHoldMs: timing.recoveryHoldMs,
      timing: processTiming,
    });
  }

  /** Starts to watch the database. */
  start(): void {
    this.#watch.start();
  }

  /** Looks for changes now. Rejects while the database is away. */
  refresh(): Promise<void> {
    return this.#watch.refresh();
  }

  /** Asks all agents to connect elsewhere. */
  drain(reason: string): void {
    for (const session of this.sessions) session.drain(reason);
  }

  /** Ends the watch; the sessions stay as they are. */
  async close(): Promise<void> {
    await this.#watch.close();
  }

  async #apply(update: FleetUpdate): Promise<void> {
    const { store, services } = this.#parts;
    this.sessions.endSuperseded(update.runnerRows);
    this.#measure();
    if (update.touched.length > 0) {
      const touched = arrangeTouched(this.#parts.state, update.touched);
      for (const session of this.sessions) session.assignments?.touch(touched);
    }
    this.#dispatcher.add(update);
    await this.#dispatcher.send();
    await this.#sendTestRuns();
    await this.sessions.endRevoked();
    await store.closeGivenBackSlots(services.clock.nowMs());
    await this.#outages.pollEnded();
  }

  async #sendTestRuns(): Promise<void> {
    const { store, state } = this.#parts;
    await store.sendTestRuns({ state, sessionOf: (runnerKey) => this.sessions.findLive(runnerKey) });
  }

  #measure(): void {
    const { metrics, state } = this.#parts;
    const sessions = [...this.sessions];
    metrics.streams.set(sessions.length);
    metrics.assignments.set(sessions.reduce((sum, session) => sum + (session.assignments?.size ?? 0), 0));
    metrics.unowned.set(state.countUnowned());
  }

  async #giveBack(runnerKey: number, slots: readonly GivenBackSlot[]): Promise<void> {
    const { store, metrics, state } = this.#parts;
    metrics.givenBack.inc(slots.length);
    await recordGivenBack(store, state, { runnerKey, slots, timing: this.#processTiming });
  }
}
