/**
 * A replica's part of the fleet. Joins the watch over the database with the sessions and the dispatches of this replica:
 * each change that the watch finds is passed to the sessions that it concerns.
 */
import type { GivenBackSlot } from "@svc/proto/svc/runner/v1/runner_pb";
import type { FleetState } from "../fleet/fleet-state.ts";
import { type FleetUpdate, FleetWatch } from "../fleet/fleet-watch.ts";
import { HANDOVER_MS } from "../fleet/timing.ts";
import { arrangeTouched } from "../fleet/touched.ts";
import type { Services } from "../platform/services.ts";
import type { Ingester } from "../results/ingest/ingester.ts";
import { Dispatcher } from "./dispatcher.ts";
import { closeGivenBackSlots, recordGivenBack } from "./given-back-store.ts";
import type { FleetMetrics } from "./metrics.ts";
import { Sessions } from "./sessions.ts";
import { receiveTestRunReport } from "./test-runs/receive-report.ts";
import { sendTestRuns } from "./test-runs/send-test-runs.ts";

/** Times that tests shorten. */
export interface FleetTiming {
  handoverMs?: number;
  pollIntervalMs?: number;
  recoveryHoldMs?: number;
}

/** Services and settings that the composition root hands to a `Fleet`. */
export interface FleetParts {
  services: Services;
  /** The memory that the fleet keeps current; others may read it. */
  state: FleetState;
  ingester: Ingester;
  metrics: FleetMetrics;
  /** Version of the control plane's software, sent to agents. */
  version: string;
  timing?: FleetTiming | undefined;
}

/** Runs a replica's sessions, its watch over the fleet and its dispatches until it is closed. */
export class Fleet {
  readonly sessions: Sessions;
  readonly #parts: FleetParts;
  readonly #watch: FleetWatch;
  readonly #dispatcher: Dispatcher;

  constructor(parts: FleetParts) {
    const { services, state, ingester, version, timing = {} } = parts;
    this.#parts = parts;
    this.sessions = new Sessions({
      services,
      state,
      ingester,
      version,
      handoverMs: timing.handoverMs ?? HANDOVER_MS,
      refreshFleet: (options) => this.#watch.refresh(options),
      giveBack: (runnerKey, slots) => this.#giveBack(runnerKey, slots),
      receiveTestRunReport: (report, runnerKey) => receiveTestRunReport(services, report, runnerKey),
      onSnapshotSent: () => this.#dispatcher.send(),
    });
    this.#dispatcher = new Dispatcher({
      services,
      state,
      sessionOf: (runnerKey) => this.sessions.findLive(runnerKey),
    });
    this.#watch = new FleetWatch({
      knex: services.knex,
      log: services.log,
      state,
      nowMs: () => services.clock.nowMs(),
      beforePoll: () => this.sessions.renewLeases(),
      onUpdate: (update) => this.#apply(update),
      pollIntervalMs: timing.pollIntervalMs,
      recoveryHoldMs: timing.recoveryHoldMs,
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
    const { knex, clock } = this.#parts.services;
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
    await closeGivenBackSlots(knex, clock.nowMs());
  }

  async #sendTestRuns(): Promise<void> {
    const { services, state } = this.#parts;
    await sendTestRuns({ services, state, sessionOf: (runnerKey) => this.sessions.findLive(runnerKey) });
  }

  #measure(): void {
    const { metrics, state } = this.#parts;
    const sessions = [...this.sessions];
    metrics.streams.set(sessions.length);
    metrics.assignments.set(sessions.reduce((sum, session) => sum + (session.assignments?.size ?? 0), 0));
    metrics.unowned.set(state.countUnowned());
  }

  async #giveBack(runnerKey: number, slots: readonly GivenBackSlot[]): Promise<void> {
    const { services, metrics, state } = this.#parts;
    metrics.givenBack.inc(slots.length);
    await recordGivenBack(services.knex, state, { runnerKey, slots });
  }
}
