/** The model of the outbox, as the processes that send from it read and write it. */
import type { ChannelId, DeliveryId, NotificationId, TeamId } from "@svc/contract";
import type { AlertNotification } from "../../control-plane/src/outbox/payload.ts";
import type { ClaimedNotification } from "../../control-plane/src/response/notifications/claimed-notification.ts";
import type {
  FinishedAttempt,
  RecordedAttempt,
} from "../../control-plane/src/response/notifications/delivery-store.ts";
import type { NotificationQueue } from "../../control-plane/src/response/notifications/notification-queue.ts";
import type { ClaimOptions } from "../../control-plane/src/response/notifications/queue-store.ts";
import { RETRY_TIMES } from "../../control-plane/src/response/notifications/retry.ts";
import type { Database } from "./database.ts";
import type { NotifyStep } from "./plan.ts";
import { NO_PLANTED_FAULTS, type PlantedFaults } from "./planted-faults.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import type { OutboxRecord, Tables } from "./tables.ts";

/** Wake-ups of the processes that send. */
const WAKE_UPS = "outbox";
const NO_CONFIG = Buffer.from("{}");

/** The database and its tables, and the process that uses them. */
export interface NotificationModelParts {
  database: Database;
  tables: Tables;
  process: SimulatedProcess;
  faults?: PlantedFaults;
  /** Called when the process has come to a step of a delivery. */
  onStep?: (step: NotifyStep, process: SimulatedProcess) => void;
}

/** Writes notifications into the outbox, in the transaction under way, and wakes whoever sends. */
export function enqueueIn(
  { database, tables }: Pick<NotificationModelParts, "database" | "tables">,
  notifications: readonly AlertNotification[],
): void {
  for (const { channelIds, teamId, kind, instanceId, payload } of notifications)
    for (const channelId of new Set(channelIds)) {
      const channel = tables.channels.find((one) => one.id === channelId && one.teamId === teamId);
      if (!channel) continue;
      const key = tables.outbox.length + 1;
      const atMs = database.nowMs;
      tables.outbox.push({
        key,
        id: `ntf_${key}` as NotificationId,
        teamId,
        channelKey: channel.key,
        kind,
        subjectId: instanceId,
        payload,
        createdAtMs: atMs,
        dueAtMs: atMs,
        leasedBy: null,
        attempts: 0,
        status: "pending",
        firstSuccesses: 0,
      });
    }
  if (notifications.length > 0) database.wake(WAKE_UPS);
}

/** Returns the outbox for one process. */
export function modelNotificationQueue(parts: NotificationModelParts): NotificationQueue {
  const { database, tables, process, faults = NO_PLANTED_FAULTS, onStep = () => {} } = parts;
  const { outbox } = tables;
  return {
    wakeUps: { channel: WAKE_UPS, listen: ({ onWakeUp }) => database.listen(process, WAKE_UPS, onWakeUp) },
    claim: (options) => {
      // A claim that finds nothing writes nothing.
      if (dueIn(outbox, database.nowMs).length === 0) return database.read(process, () => []);
      return database.write(process, () => {
        const claimed = claimIn(tables, options, { nowMs: database.nowMs, faults });
        if (claimed.length > 0) onStep("claimed", process);
        return claimed;
      });
    },
    release: (owner, keys) =>
      database
        .write(process, () => {
          for (const row of outbox) {
            if (!keys.includes(row.key) || row.leasedBy !== owner || row.status !== "pending") continue;
            Object.assign(row, { dueAtMs: database.nowMs, leasedBy: null, attempts: row.attempts - 1 });
          }
        })
        .then(() => undefined),
    expire: () => {
      const lateIn = () => {
        const { nowMs } = database;
        return dueIn(outbox, nowMs).filter(({ createdAtMs }) => createdAtMs < nowMs - RETRY_TIMES.spanMs);
      };
      if (lateIn().length === 0) return database.read(process, () => 0);
      return database.write(process, () => {
        const late = lateIn();
        for (const row of late) Object.assign(row, { status: "failed", leasedBy: null });
        return late.length;
      });
    },
    record: (owner, finished) => {
      onStep("recording", process);
      return database.write(process, () =>
        finished.map((one) => recordIn(outbox, one, { owner, nowMs: database.nowMs })),
      );
    },
  };
}

function dueIn(outbox: readonly OutboxRecord[], nowMs: number): OutboxRecord[] {
  return outbox.filter(({ status, dueAtMs }) => status === "pending" && dueAtMs <= nowMs);
}

/** Claims the oldest due rows of each channel, by teams in turns. */
function claimIn(
  tables: Tables,
  { owner, leaseMs, limit, perChannel, space }: ClaimOptions,
  { nowMs, faults }: { nowMs: number; faults: PlantedFaults },
): ClaimedNotification[] {
  const { outbox, channels } = tables;
  const pending = outbox.filter(({ status }) => status === "pending");
  const isFirst = (row: OutboxRecord) =>
    faults.claimsOutOfOrder ||
    !pending.some(
      (one) => one.subjectId === row.subjectId && one.channelKey === row.channelKey && one.key < row.key,
    );
  const free = dueIn(outbox, nowMs).filter(isFirst).sort(byDue);
  const ofChannels = channels.flatMap(({ key }) =>
    free
      .filter(({ channelKey }) => channelKey === key)
      .slice(0, Math.max(0, Math.min(perChannel, space.get(key) ?? perChannel))),
  );
  const turnOf = (row: OutboxRecord) =>
    ofChannels.filter((one) => one.teamId === row.teamId && byDue(one, row) < 0).length;
  const claimed = ofChannels
    .map((row) => ({ row, turn: turnOf(row) }))
    .sort((a, b) => a.turn - b.turn || byDue(a.row, b.row))
    .slice(0, limit)
    .map(({ row }) => row);
  for (const row of claimed) {
    row.attempts++;
    if (faults.recordedBeforeSent) Object.assign(row, { status: "delivered", firstSuccesses: 1 });
    if (faults.claimWithoutLease) continue;
    row.leasedBy = owner;
    row.dueAtMs = faults.leaseForEver ? Number.POSITIVE_INFINITY : nowMs + leaseMs;
  }
  return claimed.sort((a, b) => a.key - b.key).map((row) => claimedOf(row, tables, nowMs));
}

function byDue(a: OutboxRecord, b: OutboxRecord): number {
  return a.dueAtMs - b.dueAtMs || a.key - b.key;
}

function claimedOf(row: OutboxRecord, { channels }: Tables, nowMs: number): ClaimedNotification {
  const { key, id, teamId, channelKey, kind, subjectId, payload, attempts, createdAtMs } = row;
  const channel = channels.find((one) => one.key === channelKey);
  return {
    key,
    id,
    teamId: teamId as TeamId,
    kind,
    payload,
    subjectId,
    instanceIds: null,
    isDuplicate: false,
    isRetried: true,
    isTest: false,
    attempt: attempts,
    ageMs: nowMs - createdAtMs,
    channelKey,
    channelId: channel?.id ?? ("" as ChannelId),
    channelName: `channel ${channelKey}`,
    channelType: "webhook",
    channelConfig: NO_CONFIG,
    incidentTemplate: null,
    externalId: null,
    unreached: null,
    isOver: false,
    wasNotified: false,
  };
}

function recordIn(
  outbox: readonly OutboxRecord[],
  { claimed, attempt }: FinishedAttempt,
  { owner, nowMs }: { owner: string; nowMs: number },
): RecordedAttempt {
  const deliveryId = `dlv_${claimed.key}_${claimed.attempt}` as DeliveryId;
  const row = outbox.find(({ key }) => key === claimed.key);
  const isSuccess = attempt.status === "delivered";
  if (!row || !(isSuccess || row.leasedBy === owner)) return { deliveryId, isFirstSuccess: false };
  const wasDelivered = row.status === "delivered";
  if (wasDelivered || attempt.status !== "failed") row.status = "delivered";
  else row.status = attempt.nextDelayMs === null ? "failed" : "pending";
  row.dueAtMs = nowMs + (attempt.nextDelayMs ?? 0);
  row.leasedBy = null;
  const isFirstSuccess = isSuccess && !wasDelivered;
  if (isFirstSuccess) row.firstSuccesses++;
  return { deliveryId, isFirstSuccess };
}
