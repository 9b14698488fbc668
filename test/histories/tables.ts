/** The tables of the model database that the simulated parts use. Rows are as the interfaces of the product have them. */
import type {
  AlertInstanceId,
  ChannelId,
  CheckId,
  Condition,
  LocationId,
  MissingReason,
  NotificationId,
  RunnerId,
  TeamId,
} from "@svc/contract";
import type { InstanceRow } from "../../control-plane/src/alerting/instances/instance-writes.ts";
import type {
  AlertNotificationKind,
  AlertNotificationPayload,
} from "../../control-plane/src/outbox/payload.ts";
import type { Circumstances } from "../../control-plane/src/results/coverage/circumstances-store.ts";

import type { ModelTransaction } from "./transaction.ts";

/** A schedule of a check and when it was in force. */
interface RevisionRecord {
  revision: number;
  frequencySeconds: number;
  locationKeys: number[];
  enabled: boolean;
  effectiveFromMs: number;
  effectiveUntilMs: number | null;
}

/** A check. */
export interface CheckRecord {
  key: number;
  id: CheckId;
  teamId: TeamId;
  name: string;
  frequencySeconds: number;
  locationKeys: number[];
  enabled: boolean;
  /** True while a maintenance window pauses it. */
  paused: boolean;
  revisions: RevisionRecord[];
  changedXid: number;
}

/** A location. */
export interface LocationRecord {
  key: number;
  id: LocationId;
  name: string;
  teamId: TeamId;
}

/** A runner, with its newest session and its lease. */
export interface RunnerRecord {
  key: number;
  id: RunnerId;
  runnerUuid: string;
  processUuid: string;
  locationKey: number | null;
  locationKeys: number[];
  capabilities: string[];
  capacityPerSecond: number;
  replicaId: string;
  sessionId: string | null;
  accepting: boolean;
  draining: boolean;
  connectedAtMs: number;
  leaseUntilMs: number;
  notAcceptingSinceMs: number | null;
}

/** A time during which a runner was alive at a location. */
export interface PresenceRecord {
  runnerKey: number;
  locationKey: number;
  capabilities: string[];
  fromMs: number;
  untilMs: number;
  /** Times at which its session broke, as `[from, until]`. */
  breaks: [fromMs: number, untilMs: number][];
}

/** A result: what the invariants look at. */
export interface ResultRow {
  checkKey: number;
  locationKey: number;
  slotMs: number;
  startDelayMs: number;
  status: number;
  runnerKey: number;
  responseTimeUs: number;
  /** Transaction that stored it. */
  xid: number;
  /** True when the check was on as its result was judged: one that is off fires nothing. */
  isCheckOn: boolean;
  /** Keys of the rules by which the result was judged: those that were committed by then. */
  ruleKeys: number[];
  /** Number of results that were committed as the result was judged. */
  knownResults: number;
  /** Position among all results, in the order of their commits. */
  ordinal: number;
}

/** A dispatch of one slot. */
export interface ManualRunRecord {
  /** Name of the replica that has read of it first, where a fault is planted that counts on that. */
  readBy?: string;
  checkKey: number;
  slotMs: number;
  locationKeys: number[];
  changedXid: number;
}

/** A slot that a runner gave back. */
export interface GivenBackRecord {
  checkKey: number;
  locationKey: number;
  slotMs: number;
  reason: MissingReason;
  triedRunnerKeys: number[];
  runUntilMs: number;
  changedXid: number;
}

/** A rule of a check. */
export interface RuleRecord {
  key: number;
  /** Transaction that wrote it. */
  changedXid: number;
  checkKey: number;
  conditions: Condition[];
  recoverySuccesses: number;
  channelIds: ChannelId[];
}

/** An alert instance with the results that began and ended it. */
export interface InstanceRecord extends Omit<InstanceRow, "state" | "checkKey"> {
  checkKey: number;
  state: "active" | "recovered";
  /** True when a window kept its begin back at first. */
  beganMuted: boolean;
}

/** A maintenance window. */
export interface WindowRecord {
  key: number;
  mode: "pause" | "continue";
  /** Its checks; null: all. */
  checkKeys: number[] | null;
  /** Unix ms; each holds up to, but not including its end. */
  occurrences: { startsAtMs: number; endsAtMs: number }[];
}

/** A channel: one that takes single alerts. */
interface ChannelRecord {
  key: number;
  id: ChannelId;
  teamId: TeamId;
}

/** A notification about an alert for one channel. */
export interface OutboxRecord {
  key: number;
  id: NotificationId;
  teamId: TeamId;
  channelKey: number;
  kind: AlertNotificationKind;
  subjectId: AlertInstanceId;
  payload: AlertNotificationPayload;
  createdAtMs: number;
  /** Instant from which on the notification may be claimed: the end of its lease, once it was. */
  dueAtMs: number;
  leasedBy: string | null;
  attempts: number;
  status: "pending" | "delivered" | "failed";
  /** Number of attempts that were recorded as the first that delivered it. */
  firstSuccesses: number;
}

/** All tables. */
export class Tables {
  readonly checks = new Map<number, CheckRecord>();
  readonly locations = new Map<number, LocationRecord>();
  readonly runners: RunnerRecord[] = [];
  readonly presences: PresenceRecord[] = [];
  readonly outages: { replicaId: string; fromMs: number; untilMs: number }[] = [];
  readonly results = new Map<string, ResultRow>();
  readonly manualRuns: ManualRunRecord[] = [];
  readonly givenBack = new Map<string, GivenBackRecord>();
  /** Checks that were deleted, each with the transaction that did. */
  readonly checkDeletions: { checkKey: number; changedXid: number }[] = [];
  readonly missedSlots = new Map<string, MissingReason>();
  readonly rules: RuleRecord[] = [];
  readonly channels: ChannelRecord[] = [];
  readonly instances = new Map<string, InstanceRecord>();
  /** By check, the transaction that has judged it last. */
  readonly judging = new Map<number, ModelTransaction>();
  readonly windows = new Map<number, WindowRecord>();
  readonly outbox: OutboxRecord[] = [];
}

/** Returns when runners were at a location, and when replicas could read no changes. */
export function circumstancesIn({ presences, outages }: Tables, locationKey: number): Circumstances {
  return {
    presences: presences.filter((presence) => presence.locationKey === locationKey),
    outages: outages.map(({ fromMs, untilMs }) => ({ fromMs, toMs: untilMs })),
  };
}

/** Returns the text that stands for a slot in the tables. */
export function slotName(slot: { checkKey: number; locationKey: number; slotMs: number }): string {
  return `${slot.checkKey}/${slot.locationKey}/${slot.slotMs}`;
}
