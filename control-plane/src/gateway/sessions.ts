/**
 * The sessions of one replica: opens and closes them, ends those that were superseded or whose key was revoked, and
 * collects the leases to renew. A runner has at most one; the newest wins, on whichever replica it is.
 */
import { DomainError } from "@svc/contract";
import type { GivenBackSlot, Hello, TestRunReport } from "@svc/proto/svc/runner/v1/runner_pb";
import type { RunnerKeyRow } from "../accounts/identity/credential-store.ts";
import {
  LIMITED_TEST_RUNS_CAPABILITY,
  TEST_RUNS_CAPABILITY,
  VAULT_CAPABILITY,
} from "../fleet/derived-capabilities.ts";
import type { FleetState } from "../fleet/fleet-state.ts";
import type { LocationRow, RunnerRow } from "../fleet/fleet-store.ts";
import { createRunnerSealer } from "../fleet/runner-sealer.ts";
import { StreamAssignments } from "../fleet/stream-assignments.ts";
import { BROKEN_STREAM_LEASE_MS } from "../fleet/timing.ts";
import type { Config } from "../platform/config.ts";
import type { Services } from "../platform/services.ts";
import type { Timing } from "../platform/timing.ts";
import type { Ingester } from "../results/ingest/ingester.ts";
import { Backlogs } from "./backlog.ts";
import type { GatewayStore } from "./gateway-store.ts";
import { servedLocations } from "./hello.ts";
import { senderOf } from "./sender.ts";
import { Session } from "./session.ts";
import { SessionLimits } from "./session-limits.ts";

/** What sessions use of the process's services. */
export interface SessionServices extends Pick<Services, "clock" | "log" | "replicaId"> {
  config: Pick<Config, "runnerSessionsPerKeyMax" | "runnerSessionsPerTeamMax">;
}

/** The parts of the service that all sessions of a replica use. */
export interface SessionsParts {
  services: SessionServices;
  store: GatewayStore;
  timing: Timing;
  /** Returns a UUID that no session has. */
  newSessionId: () => string;
  state: FleetState;
  ingester: Ingester;
  /** Version of the control plane's software, sent to agents. */
  version: string;
  handoverMs: number;
  refreshFleet: (options?: { readLocations?: boolean }) => Promise<void>;
  giveBack: (runnerKey: number, slots: readonly GivenBackSlot[]) => Promise<void>;
  receiveTestRunReport: (report: TestRunReport, runnerKey: number) => Promise<void>;
  /** Called when a session has sent its snapshot. */
  onSnapshotSent: () => Promise<void>;
}

/** Opens, finds and closes the sessions of this replica. */
export class Sessions {
  readonly #parts: SessionsParts;
  readonly #sessions = new Map<number, Session>();
  readonly #limits: SessionLimits;
  readonly #backlogs = new Backlogs();
  /** Ends the count of a session in the limits. */
  readonly #endings = new Map<Session, () => void>();

  constructor(parts: SessionsParts) {
    this.#parts = parts;
    this.#limits = new SessionLimits({
      perKeyMax: parts.services.config.runnerSessionsPerKeyMax,
      perTeamMax: parts.services.config.runnerSessionsPerTeamMax,
      clockMs: parts.timing.monotonicMs,
    });
  }

  [Symbol.iterator](): Iterator<Session> {
    return this.#sessions.values();
  }

  /** Returns the runner's session when it takes assignments and dispatches. */
  findLive(runnerKey: number): Session | undefined {
    const session = this.#sessions.get(runnerKey);
    return session?.assignments && !session.outgoing.isEnded ? session : undefined;
  }

  /**
   * Opens a session: writes the runner's row (the newest session has the lease), welcomes the agent, begins its snapshot.
   * @throws DomainError `unavailable` when the database is away; `invalid` for locations that are not the key's;
   *   `limit_exceeded` or `rate_limited` when the key has or opens too many sessions
   */
  async open(key: RunnerKeyRow, hello: Hello): Promise<Session> {
    const { state, refreshFleet } = this.#parts;
    const end = this.#limits.begin({ keyId: key.id, team: senderOf(state, key) });
    try {
      const isKnown = key.locationKey === null || state.location(key.locationKey) !== undefined;
      await refreshFleet({ readLocations: !isKnown });
      const session = await this.#register(key, hello, servedLocations(key, hello, state));
      await this.#begin(session, hello);
      this.#endings.set(session, end);
      return session;
    } catch (error) {
      end();
      if (error instanceof DomainError) throw error;
      throw databaseIsAway(error);
    }
  }

  /** Ends a session whose stream is over. Its lease ends too: at once after a goodbye, else soon. */
  async close(session: Session): Promise<void> {
    const { runnerKey, sessionId, log } = session.parts;
    session.assignments?.close();
    session.end();
    this.#endings.get(session)?.();
    this.#endings.delete(session);
    if (this.#sessions.get(runnerKey) === session) this.#sessions.delete(runnerKey);
    const remainingMs = session.hasSaidGoodbye ? 0 : BROKEN_STREAM_LEASE_MS;
    await this.#parts.store
      .endLease(sessionId, remainingMs)
      .catch((error) => log.debug({ err: error }, "the lease could not be ended; it will expire"));
  }

  /** Renews the leases of the sessions that got a heartbeat since the last renewal. */
  async renewLeases(): Promise<void> {
    const renewals = [...this.#sessions.values()].flatMap((session) => session.renewal ?? []);
    if (renewals.length === 0) return;
    await this.#parts.store.renewLeases(renewals);
    for (const session of this.#sessions.values())
      if (session.renewal && renewals.includes(session.renewal)) session.renewal = undefined;
  }

  /** Ends the sessions whose runner has a newer one, perhaps at another replica. */
  endSuperseded(rows: readonly RunnerRow[]): void {
    for (const row of rows) {
      const session = this.#sessions.get(row.key);
      const isOlder = session && row.sessionId !== null && row.sessionId !== session.parts.sessionId;
      if (isOlder) session.end(superseded());
    }
  }

  /** Ends the sessions whose runner key was revoked. */
  async endRevoked(): Promise<void> {
    const keyIds = new Set([...this.#sessions.values()].map((session) => session.parts.runnerKeyId));
    const live = await this.#parts.store.readLiveRunnerKeyIds([...keyIds]);
    for (const session of this.#sessions.values()) {
      const { runnerKeyId } = session.parts;
      if (keyIds.has(runnerKeyId) && !live.has(runnerKeyId))
        session.end(new DomainError("unauthenticated", "the runner key was revoked"));
    }
  }

  async #register(key: RunnerKeyRow, hello: Hello, locations: readonly LocationRow[]): Promise<Session> {
    const { services, store, timing, newSessionId, ingester, version, giveBack, receiveTestRunReport } =
      this.#parts;
    const { clock, log, replicaId } = services;
    const sessionId = newSessionId();
    const sealer = hello.secretsPublicKey.length > 0 ? createRunnerSealer(hello.secretsPublicKey) : undefined;
    const runner = await store.openRunnerSession({
      sessionId,
      runnerKeyId: key.id,
      runnerUuid: hello.runnerUuid,
      processUuid: hello.processUuid,
      locationKey: key.locationKey,
      locationKeys: locations.map((row) => row.key),
      hostname: hello.hostname,
      version: hello.agentVersion,
      capabilities: capabilitiesOf(hello),
      capacityPerSecond: Math.max(1, hello.capacityPerSecond),
      replicaId,
      perKeyMax: services.config.runnerSessionsPerKeyMax,
    });
    return new Session({
      sessionId,
      sealer,
      runnerKey: runner.key,
      runnerId: runner.id,
      runnerKeyId: key.id,
      locationKey: key.locationKey,
      locations,
      version,
      runLimits: { freshRuns: hello.freshRuns, browserPages: hello.browserPages },
      log: log.child({ runnerId: runner.id }),
      ingester,
      backlog: this.#backlogs.of(key.locationKey === null ? null : (locations[0]?.teamId ?? null)),
      nowMs: () => clock.nowMs(),
      monotonicMs: timing.monotonicMs,
      giveBack: (slots) => giveBack(runner.key, slots),
      receiveTestRunReport: (report) => receiveTestRunReport(report, runner.key),
    });
  }

  async #begin(session: Session, hello: Hello): Promise<void> {
    const { runnerKey } = session.parts;
    session.welcome(hello.agentSentAtMs);
    const older = this.#sessions.get(runnerKey);
    this.#sessions.delete(runnerKey);
    older?.end(superseded());
    // After this read the memory counts the runner as alive, by this session.
    await this.#parts.refreshFleet();
    this.#sessions.get(runnerKey)?.end(superseded());
    this.#sessions.set(runnerKey, session);
    const assignments = this.#assignmentsOf(session);
    session.assignments = assignments;
    void assignments
      .start()
      .then(() => this.#parts.onSnapshotSent())
      .catch((error) => session.end(databaseIsAway(error)));
  }

  #assignmentsOf(session: Session): StreamAssignments {
    const { services, store, state, handoverMs, timing } = this.#parts;
    return new StreamAssignments({
      runnerKey: session.parts.runnerKey,
      state,
      handoverMs,
      loadChecks: (checkKeys) => store.loadChecksFor(checkKeys, session.parts.sealer),
      loadDoneSlots: (checkLocations) =>
        store.readRecentSlotsWithResults(checkLocations, services.clock.nowMs()),
      loadBytes: (checkKeys) => store.loadDocumentBytes(checkKeys),
      timing,
      send: (message) => session.send(message),
      untilRead: () => session.outgoing.untilRead(),
    });
  }
}

/** Returns the check types that the agent can run, and the capabilities that follow from the rest of its Hello. */
function capabilitiesOf({ capabilities, secretsPublicKey, runsTests, limitsTestRuns }: Hello): string[] {
  const own = new Set(capabilities);
  const derived = {
    [VAULT_CAPABILITY]: secretsPublicKey.length > 0,
    [TEST_RUNS_CAPABILITY]: runsTests,
    [LIMITED_TEST_RUNS_CAPABILITY]: limitsTestRuns,
  };
  for (const [name, isThere] of Object.entries(derived)) {
    if (isThere) own.add(name);
    else own.delete(name);
  }
  return [...own];
}

function superseded(): DomainError {
  return new DomainError(
    "conflict",
    "another session of this runner took over; if two processes share one data folder, give each its own",
  );
}

function databaseIsAway(cause: unknown): DomainError {
  return new DomainError("unavailable", "the control plane can't reach its database; try again", { cause });
}
