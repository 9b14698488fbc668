/**
 * The notification worker of a replica: sends what is in the outbox, woken by the commits that write to it and by a timer.
 * Claims a few rows per channel at a time and begins them as {@link AttemptLimits} allow.
 */

import { MINUTE_MS, SECOND_MS } from "@svc/contract";
import type { Logger } from "pino";
import { STRETCH_MAX } from "../../platform/fair-time.ts";
import { WakeableWorker } from "../../platform/wakeable-worker.ts";
import { AttemptLimits, addTo } from "./attempt-limits.ts";
import type { ClaimedNotification } from "./claimed-notification.ts";
import { makeAttempt, recordAttempt } from "./deliver.ts";
import type { DeliveryAttempt } from "./delivery-store.ts";
import type { AttemptTools } from "./delivery-tools.ts";

const POLL_INTERVAL_MS = SECOND_MS;
const EXPIRE_INTERVAL_MS = 10 * SECOND_MS;
/** Most rows of a channel in one claim. */
const CLAIMED_PER_CHANNEL = 32;
/**
 * Most rows of a channel to hold, those whose attempts are being recorded included. Twice as many as may be sent at
 * once, so that the next ones are there when these are done.
 */
const HELD_PER_CHANNEL = 64;
/** Most rows of a slow channel to hold: its attempts must begin within the lease, though each may run into its limit. */
const HELD_PER_SLOW_CHANNEL = 4;
/** Number of waiting rows of a channel below which more are claimed. */
const WAITING_MIN = CLAIMED_PER_CHANNEL / 2;
/** Most rows of one claim. */
const CLAIM_MAX = 400;
/**
 * Lease of a claimed row: longer than the rows that a process holds can take. Those of a lost process are due again
 * then.
 */
const LEASE_MS = MINUTE_MS;
/** Time that attempts under way get when the worker is closed. */
const CLOSE_PATIENCE_MS = 5 * SECOND_MS;

/** The tools of the attempts, and the times that govern claims. Defaults fit production; all times in ms. */
export interface NotificationWorkerOptions {
  tools: AttemptTools;
  log: Logger;
  leaseMs?: number;
  pollIntervalMs?: number;
}

/** A claimed notification that waits for its attempt. */
interface WaitingNotification {
  claimed: ClaimedNotification;
  /** Instant at which the notification was claimed, by this process's monotonic clock. */
  claimedAtMs: number;
}

/** Sends notifications from the outbox until it is closed. */
export class NotificationWorker {
  readonly #tools: AttemptTools;
  readonly #log: Logger;
  readonly #leaseMs: number;
  readonly #limits: AttemptLimits;
  readonly #claimer: WakeableWorker;
  /** Aborted to cut off attempts under way. */
  readonly #cutting = new AbortController();
  /** Claimed notifications that wait, by channel key. */
  readonly #waiting = new Map<number, WaitingNotification[]>();
  /** Number of attempts that ended and are not recorded yet, by channel key. */
  readonly #recording = new Map<number, number>();
  readonly #attempts = new Set<Promise<void>>();
  #cancelExpiry = () => {};

  constructor(options: NotificationWorkerOptions) {
    const { tools, log, leaseMs = LEASE_MS, pollIntervalMs = POLL_INTERVAL_MS } = options;
    this.#tools = tools;
    this.#log = log;
    this.#leaseMs = leaseMs;
    this.#limits = new AttemptLimits(tools.lostMs, tools.timing);
    this.#claimer = new WakeableWorker({
      log,
      failureMessage: "notifications can't be read; trying again",
      pollIntervalMs,
      timing: tools.timing,
      wakeUps: tools.queue.wakeUps,
      work: () => this.#claim(),
    });
  }

  start(): void {
    this.#claimer.start();
    this.#expireLater();
  }

  /** Looks for notifications to send. A call during a look leads to one more. */
  wake(): void {
    this.#claimer.wake();
  }

  /** Releases the notifications that wait, and lets attempts under way come to their end for a while. */
  async close(): Promise<void> {
    this.#cancelExpiry();
    await this.#claimer.close();
    const keys = [...this.#waiting.values()].flat().map(({ claimed }) => claimed.key);
    this.#waiting.clear();
    await this.#tools.queue.release(this.#tools.owner, keys).catch(() => undefined);
    const cancelCut = this.#tools.timing.setTimer(() => this.#cutting.abort(), CLOSE_PATIENCE_MS);
    await Promise.all(this.#attempts);
    cancelCut();
  }

  #expireLater(): void {
    this.#cancelExpiry = this.#tools.timing.setTimer(() => {
      this.#expireLater();
      void this.#tools.queue.expire().catch(() => undefined);
    }, EXPIRE_INTERVAL_MS);
  }

  /**
   * Claims as many rows as may be held, and starts the attempts that may run now. Further rows are claimed when
   * attempts end.
   */
  async #claim(): Promise<boolean> {
    const claimed = await this.#tools.queue.claim({
      owner: this.#tools.owner,
      leaseMs: this.#leaseMs,
      limit: CLAIM_MAX,
      perChannel: CLAIMED_PER_CHANNEL,
      space: this.#space(),
    });
    const claimedAtMs = this.#tools.timing.monotonicMs();
    for (const notification of claimed) {
      const waiting = this.#waiting.get(notification.channelKey) ?? [];
      waiting.push({ claimed: notification, claimedAtMs });
      this.#waiting.set(notification.channelKey, waiting);
    }
    this.#beginAllowed();
    // A full claim may have held back another team's rows: look again at once.
    return claimed.length >= CLAIM_MAX;
  }

  /** Returns for how many more rows there is space, of the channels of which rows are held and of slow ones. */
  #space(): Map<number, number> {
    const { underWay, slowChannels } = this.#limits;
    const held = new Map(underWay);
    for (const [channelKey, count] of this.#recording) addTo(held, channelKey, count);
    for (const [channelKey, waiting] of this.#waiting) addTo(held, channelKey, waiting.length);
    const space = new Map([...slowChannels].map((channelKey) => [channelKey, HELD_PER_SLOW_CHANNEL]));
    for (const [channelKey, count] of held)
      space.set(channelKey, (space.get(channelKey) ?? HELD_PER_CHANNEL) - count);
    return space;
  }

  /** Begins the attempts that the limits allow. */
  #beginAllowed(): void {
    for (const [channelKey, waiting] of this.#waiting) {
      for (;;) {
        const [next] = waiting;
        if (!next || !this.#limits.mayBegin(next.claimed)) break;
        waiting.shift();
        if (this.#isLeaseLongEnough(next)) this.#begin(next.claimed);
      }
      if (waiting.length === 0) this.#waiting.delete(channelKey);
    }
  }

  /** True when the lease outlasts an attempt. A notification that waited too long here is left to the next claim. */
  #isLeaseLongEnough({ claimedAtMs }: WaitingNotification): boolean {
    return (
      this.#tools.timing.monotonicMs() - claimedAtMs + this.#tools.attemptTimeoutMs * STRETCH_MAX <=
      this.#leaseMs
    );
  }

  #begin(claimed: ClaimedNotification): void {
    const work = this.#sendAndRecord(claimed)
      .catch((error) => {
        // The lease ends by itself, and some replica tries again.
        if (!this.#cutting.signal.aborted)
          this.#log.warn({ err: error }, "an attempt to notify could not be recorded");
      })
      .finally(() => this.#attempts.delete(work));
    this.#attempts.add(work);
  }

  async #sendAndRecord(claimed: ClaimedNotification): Promise<void> {
    const unattempted = this.#tools.withoutAttempt(claimed);
    if (unattempted) return this.#record(claimed, unattempted);
    const attempt = await this.#limits.count(
      claimed,
      () => makeAttempt(this.#tools, claimed, this.#cutting.signal),
      ({ status }) => status === "delivered",
    );
    await this.#record(claimed, attempt);
  }

  async #record(claimed: ClaimedNotification, attempt: DeliveryAttempt): Promise<void> {
    const { channelKey } = claimed;
    addTo(this.#recording, channelKey, 1);
    // The next attempt need not wait for the record of this one.
    this.#beginAllowed();
    await recordAttempt(this.#tools, claimed, attempt).finally(() => {
      addTo(this.#recording, channelKey, -1);
      // Before the channel runs dry, and for notifications about this subject, which had to wait for this one.
      if ((this.#waiting.get(channelKey)?.length ?? 0) < WAITING_MIN) this.wake();
    });
  }
}

/** Starts the worker of a replica. */
export function startNotificationWorker(options: NotificationWorkerOptions): NotificationWorker {
  const worker = new NotificationWorker(options);
  worker.start();
  return worker;
}
