/** The world of a history: builds machines, network, database and targets from the plan, and carries out its troubles. */
import { Code, ConnectError } from "@connectrpc/connect";
import type { CheckId, LocationId, TeamId } from "@svc/contract";
import type { SessionRequest, SessionResponse } from "@svc/proto/svc/runner/v1/runner_pb";
import { pino } from "pino";
import { Registry } from "prom-client";
import type { ResultRecord } from "../../runner-agent/src/model/result-record.ts";
import type { RunnerConnection } from "../../runner-agent/src/session/runner-connection.ts";
import { decodeRecord } from "../../runner-agent/src/spool/record-codec.ts";
import type { ResultTable } from "../../runner-agent/src/spool/result-table.ts";
import { AgentDisk } from "./agent-disk.ts";
import { Database } from "./database.ts";
import { Network, Stream } from "./network.ts";
import { CALM_MS, drawPlan, HISTORY_MS, type Plan, TROUBLED_MS, type Trouble } from "./plan.ts";
import type { PlantedFaults } from "./planted-faults.ts";
import { Random } from "./random.ts";
import { HistoryRecord } from "./record.ts";
import { EPOCH_MS, Scheduler } from "./scheduler.ts";
import { type AgentMachine, SimulatedAgent } from "./simulated-agent.ts";
import { SimulatedProcess } from "./simulated-process.ts";
import { SimulatedReplica } from "./simulated-replica.ts";
import type { AgentProcess, Surroundings } from "./surroundings.ts";
import { slotName, Tables } from "./tables.ts";
import { Targets } from "./targets.ts";
import { Trace } from "./trace.ts";

const TEAM = "team_1" as TeamId;
/** Time after which an attempt to connect over a cut network is given up, ms. */
const CONNECT_TIMEOUT_MS = 5_000;
/** Shared by all histories, since making metrics costs more than a history's use of them. */
const registry = new Registry();
const log = pino({ level: "silent" });

/** Everything of one history. */
export class World implements Surroundings {
  readonly log = log;
  readonly faults: PlantedFaults;
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  readonly plan: Plan;
  readonly network: Network;
  readonly database: Database;
  readonly tables = new Tables();
  readonly targets: Targets;
  readonly record = new HistoryRecord();
  areFaultsOver = false;
  readonly #machines: AgentMachine[];
  readonly #agents: SimulatedAgent[] = [];
  readonly #replicas: SimulatedReplica[] = [];
  readonly #users: SimulatedProcess;
  readonly #openSessions = new Map<AgentProcess, number>();

  constructor(seed: number, faults: PlantedFaults) {
    this.faults = faults;
    this.random = new Random(seed);
    this.plan = drawPlan(this.random.fork());
    this.scheduler = new Scheduler(this.random.fork());
    this.trace = new Trace(() => this.scheduler.nowMs);
    this.network = new Network(this.scheduler, this.random.fork());
    this.database = new Database(this.scheduler, this.random.fork());
    this.database.hasNoHorizon = faults.cursorWithoutHorizon;
    this.#users = new SimulatedProcess(this.scheduler, "users");
    this.#writeTables();
    const checkKeys = [...this.tables.checks.keys()];
    this.targets = new Targets(this.random.fork(), { checkKeys, forMs: HISTORY_MS });
    this.#machines = this.plan.agents.map((location, index) => ({
      name: `agent-${index}`,
      runnerUuid: this.newUuid(),
      locationKey: location + 1,
      disk: new AgentDisk(this.random.fork()),
      clock: this.plan.clocks[index] ?? { skewMs: 0, rate: 1 },
    }));
  }

  /** Agents as they are now, each with its newest process. */
  get agents(): readonly SimulatedAgent[] {
    return this.#agents;
  }

  /** Runs the history to its end. */
  async run(): Promise<void> {
    for (let index = 0; index < this.plan.replicas; index++) this.#startReplica(index);
    for (let index = 0; index < this.#machines.length; index++)
      this.scheduler.after(this.random.between(0, 3_000), () => this.#startAgent(index));
    for (const trouble of this.plan.troubles)
      this.scheduler.after(trouble.atMs, () => {
        this.trace.note(`trouble ${JSON.stringify(trouble)}`);
        this.#begin(trouble);
      });
    this.scheduler.after(CALM_MS + TROUBLED_MS, () => this.#endTroubles());
    await this.scheduler.runUntil(EPOCH_MS + HISTORY_MS);
    for (const agent of this.#agents) this.sessionEnded(agent);
  }

  /** Notes that an invariant does not hold. */
  fail(violation: string): void {
    this.trace.note(`VIOLATION ${violation}`);
    this.record.violations.push(violation);
  }

  /** Returns a UUID, of the seed. */
  newUuid(): string {
    const hex = Array.from({ length: 32 }, () => this.random.int(0, 15).toString(16)).join("");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  /** Returns the table, which notes each result that is durable. */
  watchTable(agent: string, table: ResultTable): ResultTable {
    return {
      ...table,
      write: async (puts, deletes) => {
        await table.write(puts, deletes);
        for (const [, bytes] of puts) {
          const { checkKey, locationKey, slotMs } = decodeRecord(bytes);
          const slot = { checkKey, locationKey, slotMs };
          this.record.durable.set(`${agent}:${slotName(slot)}`, slot);
        }
      },
    };
  }

  /** Notes that an agent was informed that a result is stored. */
  acknowledged(agent: string, record: ResultRecord): void {
    const name = slotName(record);
    this.record.acknowledged.add(`${agent}:${name}`);
    const isRejected = this.record.rejected.some((one) => slotName(one) === name);
    if (!this.tables.results.has(name) && !isRejected)
      this.fail(`result ${name} was acknowledged and is not stored`);
  }

  /** Notes that an agent was welcomed. */
  sessionBegan(agent: AgentProcess): void {
    const { locationKey } = agent.machine;
    this.#openSessions.set(agent, this.scheduler.nowMs);
    this.record.disturbances.push({ locationKey, atMs: this.scheduler.nowMs });
  }

  /** Notes that an agent has no session any more. */
  sessionEnded(agent: AgentProcess): void {
    const fromMs = this.#openSessions.get(agent);
    const { name, locationKey } = agent.machine;
    const toMs = this.scheduler.nowMs;
    this.record.disturbances.push({ locationKey, atMs: toMs });
    if (fromMs === undefined) return;
    this.#openSessions.delete(agent);
    this.record.sessions.push({ agent: name, locationKey, fromMs, toMs });
  }

  /** Begins a connection of an agent to some replica. */
  connect(agent: AgentProcess): RunnerConnection {
    const { locationKey } = agent.machine;
    const replica = this.random.pick(this.#replicas);
    const attempt = new ConnectionAttempt(this.network, { agent: agent.process, replica: replica.process });
    return {
      client: {
        session: (requests, options) =>
          attempt.open(requests as AsyncIterable<SessionRequest>, options?.signal, (stream, signal) =>
            replica.serve(stream, { signal, locationKey }),
          ),
      },
      headers: {},
      failure: undefined,
      close: () => attempt.close(),
    };
  }

  #writeTables(): void {
    const { tables, plan } = this;
    for (let key = 1; key <= plan.locations; key++)
      tables.locations.set(key, {
        key,
        id: `loc_${key}` as LocationId,
        name: `location ${key}`,
        teamId: TEAM,
      });
    for (const [index, check] of plan.checks.entries()) {
      const key = index + 1;
      const { frequencySeconds } = check;
      const locationKeys = check.locations.map((location) => location + 1);
      tables.checks.set(key, {
        key,
        id: `chk_${this.random.int(0, 1e9)}` as CheckId,
        teamId: TEAM,
        name: `check ${key}`,
        frequencySeconds,
        locationKeys,
        enabled: true,
        revisions: [
          {
            revision: 1,
            frequencySeconds,
            locationKeys,
            enabled: true,
            effectiveFromMs: EPOCH_MS,
            effectiveUntilMs: null,
          },
        ],
        changedXid: 1,
      });
      tables.rules.push({
        key,
        checkKey: key,
        conditions: [{ type: "consecutive_failures", count: check.failures }],
        recoverySuccesses: check.successes,
      });
    }
  }

  #startReplica(index: number): void {
    const skewMs = this.plan.replicaSkewsMs[index] ?? 0;
    this.#replicas[index] = new SimulatedReplica(this, { name: `replica-${index}`, skewMs, registry });
    this.trace.note(`replica-${index} starts`);
  }

  #startAgent(index: number): void {
    const machine = this.#machines[index] as AgentMachine;
    this.trace.note(`${machine.name} starts`);
    const agent = new SimulatedAgent(this, machine);
    agent.process.onDeath(() => {
      this.trace.note(`${machine.name} ends`);
      this.sessionEnded(agent);
    });
    this.#agents[index] = agent;
  }

  /** Starts an agent's or a replica's next process, unless that runs already. */
  #restart(kind: "agent" | "replica", index: number): void {
    const now = kind === "agent" ? this.#agents[index] : this.#replicas[index];
    if (now === undefined || now.process.isAlive) return;
    if (kind === "agent") this.#startAgent(index);
    else this.#startReplica(index);
  }

  #begin(trouble: Trouble): void {
    const { forMs } = trouble;
    const later = (run: () => void) => this.scheduler.after(forMs, run);
    switch (trouble.kind) {
      case "agent_killed":
        this.#agents[trouble.agent]?.process.kill();
        later(() => this.#restart("agent", trouble.agent));
        break;
      case "agent_drained": {
        const agent = this.#agents[trouble.agent];
        if (!agent?.process.isAlive) break;
        agent.process.onDeath(() => later(() => this.#restart("agent", trouble.agent)));
        void agent.drain();
        break;
      }
      case "agent_held":
        this.#hold(trouble.agent, forMs);
        break;
      case "agent_disk_slow":
      case "agent_disk_full": {
        const disk = this.#machines[trouble.agent]?.disk;
        if (!disk) break;
        if (trouble.kind === "agent_disk_full") disk.isFull = true;
        else disk.slownessMs = 3_000;
        later(() => Object.assign(disk, { isFull: false, slownessMs: 10 }));
        break;
      }
      case "replica_killed":
        this.#replicas[trouble.replica]?.process.kill();
        later(() => this.#restart("replica", trouble.replica));
        break;
      case "replica_held":
        this.#replicas[trouble.replica]?.process.hold(forMs);
        break;
      case "link_cut":
        this.network.cut(`agent-${trouble.agent}`, `replica-${trouble.replica}`, forMs);
        break;
      case "agent_cut_off":
        for (let index = 0; index < this.plan.replicas; index++)
          this.network.cut(`agent-${trouble.agent}`, `replica-${index}`, forMs);
        break;
      case "agent_cut_then_killed":
        // As when a site loses its network first and its power then.
        for (let index = 0; index < this.plan.replicas; index++)
          this.network.cut(`agent-${trouble.agent}`, `replica-${index}`, forMs);
        this.scheduler.after(this.random.between(300, 4_500), () => {
          this.#agents[trouble.agent]?.process.kill();
          later(() => this.#restart("agent", trouble.agent));
        });
        break;
      case "streams_broken":
        for (const stream of [...this.network.streams]) stream.breakFrom("replica", "a proxy restarted");
        break;
      case "packets_lost":
        this.network.lossProbability = 0.3;
        later(() => {
          this.network.lossProbability = 0;
        });
        break;
      case "database_killed":
        this.database.crash(forMs);
        break;
      case "database_slow":
        this.database.slownessMs = 250;
        later(() => {
          this.database.slownessMs = 8;
        });
        break;
      case "check_changed":
        this.#changeCheck(trouble);
        break;
    }
  }

  #hold(index: number, forMs: number): void {
    const agent = this.#agents[index];
    if (!agent) return;
    agent.process.hold(forMs);
    const { nowMs } = this.scheduler;
    this.record.holds.push({ locationKey: agent.machine.locationKey, fromMs: nowMs, toMs: nowMs + forMs });
  }

  /** Changes a check as a user does: the schedule is in force from the begin of the transaction on. */
  #changeCheck({
    check: index,
    frequencySeconds,
    enabled,
  }: Extract<Trouble, { kind: "check_changed" }>): void {
    const atMs = this.database.nowMs;
    const change = (xid: number) => {
      const check = this.tables.checks.get(index + 1);
      const former = check?.revisions.at(-1);
      if (!check || !former) return;
      // A change to what is there already is none.
      if (former.frequencySeconds === frequencySeconds && former.enabled === enabled) return;
      former.effectiveUntilMs = Math.max(former.effectiveFromMs, atMs);
      const { locationKeys } = check;
      const revision = former.revision + 1;
      const effectiveFromMs = former.effectiveUntilMs;
      check.revisions.push({
        revision,
        frequencySeconds,
        locationKeys,
        enabled,
        effectiveFromMs,
        effectiveUntilMs: null,
      });
      Object.assign(check, { frequencySeconds, enabled, changedXid: xid });
      this.trace.note(`check ${check.key} is changed to ${frequencySeconds} s, ${enabled ? "on" : "off"}`);
    };
    // A deploy of many checks is one transaction, which lasts.
    const durationMs = this.random.between(5, 1_500);
    this.database.write(this.#users, change, { isWaking: () => true, durationMs }).catch(() => undefined);
  }

  /** Heals everything: from now on nothing goes wrong. */
  #endTroubles(): void {
    this.trace.note("troubles end");
    this.areFaultsOver = true;
    this.network.heal();
    this.database.heal();
    for (const { disk } of this.#machines) Object.assign(disk, { isFull: false, slownessMs: 10 });
    for (let index = 0; index < this.plan.replicas; index++) this.#restart("replica", index);
    for (let index = 0; index < this.#machines.length; index++) this.#restart("agent", index);
  }
}

/** One attempt of an agent to reach a replica, and the stream that came of it. */
class ConnectionAttempt {
  readonly #network: Network;
  readonly #ends: { agent: SimulatedProcess; replica: SimulatedProcess };
  #stream: Stream<SessionRequest, SessionResponse> | undefined;
  #isClosed = false;

  constructor(network: Network, ends: { agent: SimulatedProcess; replica: SimulatedProcess }) {
    this.#network = network;
    this.#ends = ends;
  }

  /** Opens the stream and yields the replica's messages. @param serve begins to serve the stream at the replica */
  async *open(
    requests: AsyncIterable<SessionRequest>,
    signal: AbortSignal | undefined,
    serve: (stream: Stream<SessionRequest, SessionResponse>, signal: AbortSignal) => void,
  ): AsyncGenerator<SessionResponse> {
    const { agent, replica } = this.#ends;
    if (this.#network.isCut(agent.name, replica.name)) {
      await agent.sleep(CONNECT_TIMEOUT_MS);
      throw unavailable("timed out while connecting");
    }
    await agent.sleep(2 * this.#network.delayMs());
    if (!replica.isAlive) throw unavailable("connection refused");
    if (this.#isClosed || signal?.aborted) throw unavailable("closed");
    const gone = new AbortController();
    const stream = new Stream<SessionRequest, SessionResponse>(this.#network, this.#ends, {
      errorOf: unavailable,
      onClosed: { agent: () => {}, replica: () => gone.abort(unavailable("the agent has gone")) },
    });
    this.#stream = stream;
    signal?.addEventListener("abort", () => stream.breakFrom("agent", "aborted"), { once: true });
    replica.after(this.#network.delayMs(), () => serve(stream, gone.signal));
    stream.pump("up", requests).catch(() => undefined);
    yield* stream.down.read();
  }

  close(): void {
    this.#isClosed = true;
    this.#stream?.breakFrom("agent", "closed");
  }
}

function unavailable(why: string): ConnectError {
  return new ConnectError(why, Code.Unavailable);
}
