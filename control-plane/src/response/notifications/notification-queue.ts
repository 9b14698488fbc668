/** The outbox as the processes that send from it read and write it. */
import type { Knex } from "knex";
import type { Logger } from "pino";
import { OUTBOX_CHANNEL } from "../../outbox/outbox.ts";
import { type WakeUps, wakeUpsOf } from "../../platform/db/wake-ups.ts";
import type { ClaimedNotification } from "./claimed-notification.ts";
import { type FinishedAttempt, type RecordedAttempt, recordAttempts } from "./delivery-store.ts";
import {
  type ClaimOptions,
  claimNotifications,
  expireNotifications,
  releaseNotifications,
} from "./queue-store.ts";

/** Reads and writes of the outbox. Every call rejects while the database is away. */
export interface NotificationQueue {
  /** Wake-ups at commits that write notifications. */
  readonly wakeUps: WakeUps;
  /**
   * Claims due notifications for the lease, the oldest ones of each channel. Of those about one subject for one channel only the
   * first that is not delivered or given up can be claimed.
   */
  claim(options: ClaimOptions): Promise<ClaimedNotification[]>;
  /** Makes notifications that the owner claimed and has not attempted due at once. */
  release(owner: string, keys: readonly number[]): Promise<void>;
  /** Gives up due notifications that are older than retries may last. Returns their number. */
  expire(): Promise<number>;
  /**
   * Records attempts of the owner, each at another notification, in one transaction, and resolves after its commit. A success
   * counts even when its lease has ended, and no later failure undoes it; a failure whose lease has ended changes nothing.
   */
  record(owner: string, finished: readonly FinishedAttempt[]): Promise<RecordedAttempt[]>;
}

/** Called in the recording transaction with the attempts that delivered a notification for the first time. */
type OnFirstSuccess = (trx: Knex, finished: readonly FinishedAttempt[]) => Promise<void>;

/** Returns the outbox in PostgreSQL. */
export function postgresNotificationQueue(
  knex: Knex,
  log: Logger,
  onFirstSuccess: OnFirstSuccess,
): NotificationQueue {
  return {
    wakeUps: wakeUpsOf({ knex, log, channel: OUTBOX_CHANNEL }),
    claim: (options) => claimNotifications(knex, options),
    release: (owner, keys) => releaseNotifications(knex, owner, keys),
    expire: () => expireNotifications(knex),
    record: (owner, finished) =>
      knex.transaction(async (trx) => {
        const recorded = await recordAttempts(trx, owner, finished);
        const first = finished.filter((_, i) => recorded[i]?.isFirstSuccess);
        if (first.length > 0) await onFirstSuccess(trx, first);
        return recorded;
      }),
  };
}
