/** What must hold of the notifications of every history: who was told what, how often and in which order. */
import { CALM_MS, TROUBLED_MS } from "./plan.ts";
import type { Receipt } from "./record.ts";
import { EPOCH_MS } from "./scheduler.ts";
import type { OutboxRecord } from "./tables.ts";
import type { World } from "./world.ts";

/** Time after the last trouble from which on nothing of it is left: the lease of a lost process, and a wake-up, ms. */
const SETTLED_AFTER_MS = 70_000;
/** Time within which a notification is delivered when nothing goes wrong, ms. */
const DELIVERED_WITHIN_MS = 3_000;

/** Returns the violations. */
export function notificationViolations(world: World): string[] {
  return [
    ...wronglyWritten(world),
    ...lost(world),
    ...untrue(world),
    ...repeatedWithoutReason(world),
    ...outOfOrder(world),
    ...lateInQuiet(world),
  ];
}

/** Each channel of an alert's rule is to be notified of its begin, and of its end once that has come; of nothing else. */
function wronglyWritten({ tables }: World): string[] {
  const wanted = [...tables.instances.values()].flatMap(({ id, ruleKey, state, wasAnnounced }) => {
    // A window kept it back, and it has not outlasted that.
    if (!wasAnnounced) return [];
    const rule = tables.rules.find(({ key }) => key === ruleKey);
    const channels = tables.channels.filter((channel) => rule?.channelIds.includes(channel.id));
    const kinds = state === "recovered" ? ["triggered", "recovered"] : ["triggered"];
    return channels.flatMap(({ key }) => kinds.map((kind) => `${key} ${kind} ${id}`));
  });
  const written = tables.outbox.map(
    ({ channelKey, kind, subjectId }) => `${channelKey} ${kind} ${subjectId}`,
  );
  return [
    ...wanted.filter((one) => !written.includes(one)).map((one) => `notification ${one} was not written`),
    ...written
      .filter((one, i) => !wanted.includes(one) || written.indexOf(one) !== i)
      .map((one) => `notification ${one} was written for nothing`),
  ];
}

/** Every notification has reached its channel, and is recorded so, once. */
function lost({ tables, record }: World): string[] {
  return tables.outbox.flatMap((row) => {
    const name = nameOf(row);
    const wasReceived = record.receipts.some(({ notificationId }) => notificationId === row.id);
    if (!wasReceived) return [`${name} is ${row.status}, and no channel has taken it`];
    if (row.status !== "delivered") return [`${name} is ${row.status}, though its channel has taken it`];
    return row.firstSuccesses === 1
      ? []
      : [`${name} was delivered for the first time ${row.firstSuccesses} times`];
  });
}

/** Channels take only what a committed transaction has written, and not before. */
function untrue({ tables, record }: World): string[] {
  return record.receipts.flatMap(({ notificationId, atMs }) => {
    const row = tables.outbox.find(({ id }) => id === notificationId);
    return row && row.createdAtMs <= atMs ? [] : [`${notificationId} was sent, and nothing has happened`];
  });
}

/** A notification is taken once, unless something went wrong with the attempt before. */
function repeatedWithoutReason({ tables, record, database }: World): string[] {
  const wasDisturbed = (first: Receipt, next: Receipt) =>
    !first.isConfirmed ||
    (first.sender.diedAtMs ?? Number.POSITIVE_INFINITY) <= next.atMs ||
    database.outages.some(({ fromMs, toMs }) => fromMs <= next.atMs && toMs >= first.atMs);
  return tables.outbox.flatMap((row) => {
    const received = record.receipts.filter(({ notificationId }) => notificationId === row.id);
    return received.slice(1).flatMap((next, i) => {
      const first = received[i] as Receipt;
      return wasDisturbed(first, next)
        ? []
        : [
            `${nameOf(row)} was sent again by ${next.sender.name} after ${first.sender.name}, which had an answer`,
          ];
    });
  });
}

/** A channel takes nothing about an alert after it has taken something later about it. */
function outOfOrder({ tables, record }: World): string[] {
  const keyOf = new Map<string, number>(tables.outbox.map(({ id, key }) => [id, key]));
  return record.receipts.flatMap((receipt, i) => {
    const key = keyOf.get(receipt.notificationId) ?? 0;
    const isLate = record.receipts
      .slice(0, i)
      .some(
        ({ channelKey, subjectId, notificationId }) =>
          channelKey === receipt.channelKey &&
          subjectId === receipt.subjectId &&
          (keyOf.get(notificationId) ?? 0) > key,
      );
    return isLate
      ? [`${receipt.notificationId} (${receipt.kind}) came after a later one about its alert`]
      : [];
  });
}

/** In quiet times a notification is delivered soon. */
function lateInQuiet({ tables, record }: World): string[] {
  const fromMs = EPOCH_MS + CALM_MS + TROUBLED_MS + SETTLED_AFTER_MS;
  const isWaiting = (row: OutboxRecord) =>
    tables.outbox.some(
      (one) =>
        one.subjectId === row.subjectId &&
        one.channelKey === row.channelKey &&
        one.key < row.key &&
        one.createdAtMs < fromMs,
    );
  return tables.outbox
    .filter((row) => row.createdAtMs >= fromMs && !isWaiting(row))
    .flatMap((row) => {
      const atMs = record.receipts.find(({ notificationId }) => notificationId === row.id)?.atMs;
      const latenessMs = (atMs ?? Number.POSITIVE_INFINITY) - row.createdAtMs;
      return latenessMs <= DELIVERED_WITHIN_MS
        ? []
        : [`${nameOf(row)} was sent ${latenessMs} ms late, in quiet`];
    });
}

function nameOf({ id, kind, subjectId, channelKey }: OutboxRecord): string {
  return `notification ${id} (${kind} of ${subjectId} for channel ${channelKey})`;
}
