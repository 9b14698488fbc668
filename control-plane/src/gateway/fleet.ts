/**
 * A replica's part of the fleet: its sessions, the memory they are served from, and what joins the two. Each change that
 * the watch finds is passed to the sessions it concerns.
 */
import { randomUUID } from "node:crypto";
import { DomainError, MINUTE_MS } from "@svc/contract";
import type { GivenBackSlot, Hello } from "@svc/proto/svc/runner/v1/runner_pb";
import { signDispatchToken } from "../accounts/identity/dispatch-token.ts";
import type { RunnerKeyRow } from "../accounts/identity/runner-key-store.ts";
import { findDone, readDoneSlots } from "../fleet/catch-up.ts";
import { loadCheckDocuments } from "../fleet/check-documents.ts";
import { FleetState } from "../fleet/fleet-state.ts";
import { type RunnerRow, readLiveRunnerKeyIds } from "../fleet/fleet-store.ts";
import { type FleetChange, FleetWatch } from "../fleet/fleet-watch.ts";
import { StreamAssignments } from "../fleet/stream-assignments.ts";
import { BROKEN_STREAM_LEASE_MS, HANDOVER_MS } from "../fleet/timing.ts";
import type { Services } from "../platform/services.ts";
import type { Ingester } from "../results/ingest/ingester.ts";
import { closeGivenBack, noteGivenBack } from "./given-back.ts";
import { servedLocations } from "./hello.ts";
import type { FleetMetrics } from "./metrics.ts";
import { Orders, runNowFromOrder } from "./orders.ts";
import { Session } from "./session.ts";
import { endLease, openRunnerSession, renewLeases } from "./store.ts";

/** How long the result of an ordered run may be delivered by its token: the longest run, its retries and a delay. */
const DISPATCH_TOKEN_LIFETIME_MS = 15 * MINUTE_MS;

/** Times that tests shorten. */
export interface FleetTiming {
  handoverMs?: number;
  pollIntervalMs?: number;
  recoveryHoldMs?: number;
}

export class Fleet {
  readonly state = new FleetState();
  readonly #services: Services;
  readonly #version: string;
  readonly #timing: FleetTiming;
  readonly #metrics: FleetMetrics;
  readonly #watch: FleetWatch;
  readonly #orders = new Orders();
  readonly #sessions = new Map<number, Session>();
  /** Set once ingest is there; the two need each other. */
  ingester: Ingester | undefined;

  constructor(services: Services, version: string, metrics: FleetMetrics, timing: FleetTiming = {}) {
    this.#services = services;
    this.#version = version;
    this.#timing = timing;
    this.#metrics = metrics;
    this.#watch = new FleetWatch({
      knex: services.knex,
      log: services.log,
      state: this.state,
      nowMs: () => services.clock.nowMs(),
      beforePoll: () => this.#beforePoll(),
      onChange: (change) => this.#onChange(change),
      pollIntervalMs: timing.pollIntervalMs,
      recoveryHoldMs: timing.recoveryHoldMs,
    });
  }

  start(): void {
    this.#watch.start();
  }

  /** Looks for changes now. Rejects while the database is away. */
  refresh(): Promise<void> {
    return this.#watch.refresh();
  }

  sessions(): Iterable<Session> {
    return this.#sessions.values();
  }

  /**
   * Opens a session: writes the runner's row (the newest session has the lease), welcomes the agent, begins its snapshot.
   * @throws DomainError `unavailable` when the database is away; `invalid` for locations that are not the key's
   */
  async open(key: RunnerKeyRow, hello: Hello): Promise<Session> {
    const { knex, clock, log, replicaId } = this.#services;
    if (!this.ingester) throw new DomainError("unavailable", "the control plane is starting; try again");
    try {
      const isKnown = key.locationKey === null || this.state.location(key.locationKey) !== undefined;
      await this.#watch.refresh({ readLocations: !isKnown });
      const locations = servedLocations(key, hello, this.state);
      const sessionId = randomUUID();
      const runner = await openRunnerSession(knex, {
        sessionId,
        runnerKeyId: key.id,
        runnerUuid: hello.runnerUuid,
        processUuid: hello.processUuid,
        locationKey: key.locationKey,
        locationKeys: locations.map((row) => row.key),
        hostname: hello.hostname,
        version: hello.agentVersion,
        capabilities: [...new Set(hello.capabilities)],
        capacityPerSecond: Math.max(1, hello.capacityPerSecond),
        replicaId,
      });
      const session = new Session({
        sessionId,
        runnerKey: runner.key,
        runnerId: runner.id,
        runnerKeyId: key.id,
        locationKey: key.locationKey,
        locations,
        processUuid: hello.processUuid,
        version: this.#version,
        log: log.child({ runnerId: runner.id }),
        ingester: this.ingester,
        nowMs: () => clock.nowMs(),
        giveBack: (runnerKey, slots) => this.#giveBack(runnerKey, slots),
      });
      await this.#begin(session, hello);
      return session;
    } catch (error) {
      if (error instanceof DomainError) throw error;
      throw new DomainError("unavailable", "the control plane can't reach its database; try again", {
        cause: error,
      });
    }
  }

  /** The stream is over: its lease ends, at once after a goodbye. */
  async close(session: Session): Promise<void> {
    const { runnerKey, sessionId } = session.options;
    session.assignments?.close();
    session.end();
    if (this.#sessions.get(runnerKey) === session) this.#sessions.delete(runnerKey);
    await endLease(this.#services.knex, sessionId, session.hasSaidGoodbye ? 0 : BROKEN_STREAM_LEASE_MS).catch(
      (error) => session.options.log.debug({ err: error }, "the lease runs out by itself"),
    );
  }

  /** Asks all agents to connect elsewhere. */
  drain(reason: string): void {
    for (const session of this.#sessions.values()) session.drain(reason);
  }

  async stop(): Promise<void> {
    await this.#watch.close();
  }

  async #begin(session: Session, hello: Hello): Promise<void> {
    const { knex, secrets, log, clock } = this.#services;
    const { runnerKey } = session.options;
    session.welcome(hello.agentSentAtMs);
    const older = this.#sessions.get(runnerKey);
    this.#sessions.delete(runnerKey);
    older?.end(superseded());
    // After this read the memory counts the runner among the living, by this session.
    await this.#watch.refresh();
    this.#sessions.get(runnerKey)?.end(superseded());
    this.#sessions.set(runnerKey, session);
    const assignments = new StreamAssignments({
      runnerKey,
      state: this.state,
      handoverMs: this.#timing.handoverMs ?? HANDOVER_MS,
      loadChecks: (checkKeys) => loadCheckDocuments(knex, secrets, log, checkKeys),
      loadDoneSlots: (pairs) => readDoneSlots(knex, pairs, clock.nowMs()),
      send: (sent) => session.outgoing.push(sent),
    });
    session.assignments = assignments;
    void assignments
      .start()
      .then(() => this.#sendOrders())
      .catch((error) =>
        session.end(
          new DomainError("unavailable", "the control plane can't reach its database; try again", {
            cause: error,
          }),
        ),
      );
  }

  async #beforePoll(): Promise<void> {
    const renewals = [...this.#sessions.values()].flatMap((session) => session.renewal ?? []);
    if (renewals.length === 0) return;
    await renewLeases(this.#services.knex, renewals);
    for (const session of this.#sessions.values())
      if (session.renewal && renewals.includes(session.renewal)) session.renewal = undefined;
  }

  async #onChange(change: FleetChange): Promise<void> {
    this.#endSuperseded(change.runnerRows);
    this.#measure();
    if (change.touched.length > 0)
      for (const session of this.#sessions.values()) session.assignments?.touch(change.touched);
    this.#orders.addManualRuns(change.manualRuns);
    this.#orders.addGivenBack(change.givenBack);
    await this.#sendOrders();
    await this.#endRevoked();
    await closeGivenBack(this.#services.knex, this.#services.clock.nowMs());
  }

  #measure(): void {
    const sessions = [...this.#sessions.values()];
    this.#metrics.streams.set(sessions.length);
    this.#metrics.assignments.set(
      sessions.reduce((sum, session) => sum + (session.assignments?.size ?? 0), 0),
    );
    this.#metrics.unowned.set(this.state.countUnowned());
  }

  /** Sends this replica's streams the orders that they have not got and that have no result yet. */
  async #sendOrders(): Promise<void> {
    const { knex, secrets, log, clock } = this.#services;
    this.#orders.prune(clock.nowMs());
    const due = this.#orders.due(this.state, (runnerKey) => this.#liveSession(runnerKey));
    if (due.length === 0) return;
    const done = await findDone(
      knex,
      due.map(({ order }) => order),
    );
    const checkKeys = [...new Set(due.map(({ order }) => order.checkKey))];
    const documents = await loadCheckDocuments(knex, secrets, log, checkKeys);
    for (const [index, { order, target }] of due.entries()) {
      const check = documents.get(order.checkKey);
      if (done.has(index)) this.#orders.remove(order);
      else if (check) {
        const token = signDispatchToken(secrets, order, clock.nowMs() + DISPATCH_TOKEN_LIFETIME_MS);
        target.runNow(runNowFromOrder(order, check, token));
      }
    }
  }

  #liveSession(runnerKey: number): Session | undefined {
    const session = this.#sessions.get(runnerKey);
    return session?.assignments && !session.outgoing.isEnded ? session : undefined;
  }

  async #giveBack(runnerKey: number, slots: readonly GivenBackSlot[]): Promise<void> {
    this.#metrics.givenBack.inc(slots.length);
    await noteGivenBack(this.#services.knex, this.state, runnerKey, slots);
  }

  /** A newer session of the same runner, perhaps at another replica, has the lease. */
  #endSuperseded(rows: readonly RunnerRow[]): void {
    for (const row of rows) {
      const session = this.#sessions.get(row.key);
      const isOlder = session && row.sessionId !== null && row.sessionId !== session.options.sessionId;
      if (isOlder) session.end(superseded());
    }
  }

  async #endRevoked(): Promise<void> {
    const keyIds = [...this.#sessions.values()].map((session) => session.options.runnerKeyId);
    const live = await readLiveRunnerKeyIds(this.#services.knex, [...new Set(keyIds)]);
    for (const session of this.#sessions.values())
      if (keyIds.includes(session.options.runnerKeyId) && !live.has(session.options.runnerKeyId))
        session.end(new DomainError("unauthenticated", "the runner key was revoked"));
  }
}

function superseded(): DomainError {
  return new DomainError(
    "conflict",
    "another session of this runner took over; if two processes share one data folder, give each its own",
  );
}
