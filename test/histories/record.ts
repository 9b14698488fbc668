/** What truly happened in a history, noted where it happened. The invariants compare it with what the service says. */
import type { RunFaultReason } from "@svc/contract";
import type { SimulatedProcess } from "./simulated-process.ts";
import type { WindowRecord } from "./tables.ts";

interface Slot {
  checkKey: number;
  locationKey: number;
  slotMs: number;
}

/** One run of a probe. Instants are true time, Unix ms. */
export interface RunRecord extends Slot {
  agent: string;
  beganAtMs: number;
  /** Time that the target takes to answer, ms. */
  answerMs: number;
  /** True when the target failed at the begin. */
  wasDown: boolean;
}

/** A notification that a channel took. */
export interface Receipt {
  notificationId: string;
  channelKey: number;
  kind: string;
  subjectId: string;
  sender: SimulatedProcess;
  /** True when the sender had the channel's answer. */
  isConfirmed: boolean;
  /** True time, Unix ms. */
  atMs: number;
}

/** The record of one history. */
export class HistoryRecord {
  readonly runs: RunRecord[] = [];
  /** Slots that an agent gave back. */
  readonly givenBack: (Slot & { reason: RunFaultReason; atMs: number })[] = [];
  /** Results that an agent's disk held durably, by agent and slot. */
  readonly durable = new Map<string, Slot>();
  /** Those of them of which the agent was informed that they are stored, or refused. */
  readonly acknowledged = new Set<string>();
  /** Results that the service refused, with its reason. */
  readonly rejected: (Slot & { reason: string })[] = [];
  /** What the channels took, in that order. */
  readonly receipts: Receipt[] = [];
  /** Violations that were seen while the history ran. */
  readonly violations: string[] = [];
  /** Times at which a session of a location ended otherwise than by a goodbye, or one began. */
  readonly disturbances: { locationKey: number; atMs: number }[] = [];
  /** Times during which an agent was welcomed and lived, by location. */
  readonly sessions: { agent: string; locationKey: number; fromMs: number; toMs: number }[] = [];
  /** Times from which on an agent was held for long. */
  readonly holds: { locationKey: number; fromMs: number; toMs: number }[] = [];
  /** Maintenance windows as they were made, changed or ended, in the order of the commits. */
  readonly windows: { committedAtMs: number; window: WindowRecord }[] = [];
  /** Number of times that a window paused or resumed a check. */
  pauses = 0;
  /** By check, whether it was paused at the end of the history. */
  readonly pausedAtEnd = new Map<number, boolean>();
  /** Times during which a replica was held. */
  readonly replicaHolds: { fromMs: number; toMs: number }[] = [];
}
