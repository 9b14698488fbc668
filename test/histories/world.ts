/** The world of a history: builds machines, network, database and targets from the plan, and carries out its troubles. */
import type { ChannelId, CheckId, LocationId, TeamId } from "@svc/contract";
import type { SessionRequest } from "@svc/proto/svc/runner/v1/runner_pb";
import { pino } from "pino";
import { Registry } from "prom-client";
import type { ResultRecord } from "../../runner-agent/src/model/result-record.ts";
import type { RunnerConnection } from "../../runner-agent/src/session/runner-connection.ts";
import { decodeRecord } from "../../runner-agent/src/spool/record-codec.ts";
import type { ResultTable } from "../../runner-agent/src/spool/result-table.ts";
import { AgentDisk } from "./agent-disk.ts";
import { Channels } from "./channels.ts";
import { ConnectionAttempt } from "./connection-attempt.ts";
import { Database } from "./database.ts";
import { Network } from "./network.ts";
import { CALM_MS, drawPlan, HISTORY_MS, type NotifyStep, type Plan, TROUBLED_MS } from "./plan.ts";
import type { PlantedFaults } from "./planted-faults.ts";
import { Random } from "./random.ts";
import { HistoryRecord } from "./record.ts";
import { ruleOf } from "./rules.ts";
import { EPOCH_MS, Scheduler } from "./scheduler.ts";
import { type AgentMachine, SimulatedAgent } from "./simulated-agent.ts";
import { SimulatedProcess } from "./simulated-process.ts";
import { SimulatedReplica } from "./simulated-replica.ts";
import type { AgentProcess, Surroundings } from "./surroundings.ts";
import { slotName, Tables } from "./tables.ts";
import { Targets } from "./targets.ts";
import { Trace } from "./trace.ts";
import { Troubles } from "./troubles.ts";

const TEAM = "team_1" as TeamId;
/** Shared by all histories, since making metrics costs more than a history's use of them. */
const registry = new Registry();
const log = pino({ level: "silent" });

/** Longest time after a history in which notifications are waited for: that of the retries after its last trouble, ms. */
const LATE_MS_MAX = 900_000;
/** Time between looks at them, ms. */
const LOOK_MS = 5_000;

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
  readonly channels: Channels;
  readonly record = new HistoryRecord();
  areFaultsOver = false;
  readonly #machines: AgentMachine[];
  readonly #agents: SimulatedAgent[] = [];
  readonly #replicas: SimulatedReplica[] = [];
  readonly #troubles: Troubles;
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
    this.channels = new Channels(this);
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
    this.#troubles = new Troubles(this, {
      network: this.network,
      channels: this.channels,
      machines: this.#machines,
      agents: this.#agents,
      replicas: this.#replicas,
      users: new SimulatedProcess(this.scheduler, "users"),
      restart: (kind, index) => this.#restart(kind, index),
    });
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
        this.#troubles.begin(trouble);
      });
    for (const [index, window] of this.plan.windows.entries())
      this.scheduler.after(window.atMs, () => this.#troubles.makeWindow(index + 1, window));
    for (const rule of this.plan.lateRules)
      this.scheduler.after(rule.atMs, () => this.#troubles.makeRule(rule));
    this.scheduler.after(CALM_MS + TROUBLED_MS, () => this.#endTroubles());
    await this.scheduler.runUntil(EPOCH_MS + HISTORY_MS);
    for (const { key, paused } of this.tables.checks.values()) this.record.pausedAtEnd.set(key, paused);
    // A retry may be due minutes after its trouble.
    for (let waitedMs = 0; waitedMs < LATE_MS_MAX && this.#hasPending(); waitedMs += LOOK_MS)
      await this.scheduler.runUntil(this.scheduler.nowMs + LOOK_MS);
    for (const agent of this.#agents) this.sessionEnded(agent);
  }

  /** Called when a process has come to this step of a delivery: a trouble may wait for that. */
  readonly reached = (step: NotifyStep, process: SimulatedProcess): void =>
    this.#troubles.reached(step, process);

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

  #hasPending(): boolean {
    return this.tables.outbox.some(({ status }) => status === "pending");
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
    for (let key = 1; key <= plan.channels; key++)
      tables.channels.push({ key, id: `nch_${key}` as ChannelId, teamId: TEAM });
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
        paused: false,
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
      tables.rules.push({ ...ruleOf({ check: index, ...check }), key, changedXid: 1 });
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

  /** Heals everything: from now on nothing goes wrong. */
  #endTroubles(): void {
    this.trace.note("troubles end");
    this.areFaultsOver = true;
    this.#troubles.end();
    for (let index = 0; index < this.plan.replicas; index++) this.#restart("replica", index);
    for (let index = 0; index < this.#machines.length; index++) this.#restart("agent", index);
  }
}
