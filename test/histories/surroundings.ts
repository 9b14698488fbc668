/** What the world of a history offers to the agents and replicas in it. */
import type { Logger } from "pino";
import type { SendReport } from "../../control-plane/src/outbox/channels/sender.ts";
import type { ClaimedNotification } from "../../control-plane/src/response/notifications/claimed-notification.ts";
import type { ResultRecord } from "../../runner-agent/src/model/result-record.ts";
import type { RunnerConnection } from "../../runner-agent/src/session/runner-connection.ts";
import type { ResultTable } from "../../runner-agent/src/spool/result-table.ts";
import type { Database } from "./database.ts";
import type { NotifyStep, Plan } from "./plan.ts";
import type { PlantedFaults } from "./planted-faults.ts";
import type { Random } from "./random.ts";
import type { HistoryRecord } from "./record.ts";
import type { Scheduler } from "./scheduler.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import type { Tables } from "./tables.ts";
import type { Targets } from "./targets.ts";
import type { Trace } from "./trace.ts";

/** A process of an agent, as its surroundings know it. */
export interface AgentProcess {
  readonly machine: { readonly name: string; readonly locationKey: number };
  readonly process: SimulatedProcess;
}

/** The way to the channels, for a process that has claimed a notification. */
export interface ChannelSender {
  /** Makes one attempt. Rejects with the signal's reason when that aborts before. */
  send(process: SimulatedProcess, claimed: ClaimedNotification, signal: AbortSignal): Promise<SendReport>;
}

/** The parts of a history that its processes use, and what they note. */
export interface Surroundings {
  readonly log: Logger;
  readonly faults: PlantedFaults;
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly trace: Trace;
  readonly plan: Plan;
  readonly database: Database;
  readonly tables: Tables;
  readonly targets: Targets;
  readonly channels: ChannelSender;
  readonly record: HistoryRecord;
  /** True once nothing goes wrong any more. */
  readonly areFaultsOver: boolean;
  /** Notes that an invariant does not hold. */
  fail(violation: string): void;
  /** Returns a UUID, of the seed. */
  newUuid(): string;
  /** Returns the table of the named agent, which notes each result that is durable. */
  watchTable(agent: string, table: ResultTable): ResultTable;
  /** Notes that the named agent was informed that a result is stored. */
  acknowledged(agent: string, record: ResultRecord): void;
  /** Notes that an agent was welcomed. */
  sessionBegan(agent: AgentProcess): void;
  /** Notes that an agent has no session any more. */
  sessionEnded(agent: AgentProcess): void;
  /** Called when a process has come to this step of a delivery: a trouble may wait for that. */
  readonly reached: (step: NotifyStep, process: SimulatedProcess) => void;
  /** Begins a connection of an agent to some replica. */
  connect(agent: AgentProcess): RunnerConnection;
}
