/**
 * Sends what is in the outbox, on each replica: woken by the commit that put it there and by a timer. Takes a few rows per
 * channel at a time, so that an endpoint that hangs holds up its own channel only; channels that time out may use at most
 * half of the room, so that however many hang, the others still move. A channel that answers quickly is sent more at once,
 * so that a storm is told in minutes.
 */
import { MINUTE_MS } from "@svc/contract";
import type { Logger } from "pino";
import { OUTBOX_CHANNEL } from "../../outbox/outbox.ts";
import { listenForWakeUps } from "../../platform/db/wake-ups.ts";
import { type DeliveryTools, makeAttempt, recordAttempt } from "./deliver.ts";
import {
  type ClaimedNotification,
  claimNotifications,
  expireNotifications,
  releaseNotifications,
} from "./store.ts";

const POLL_INTERVAL_MS = 1_000;
const EXPIRE_INTERVAL_MS = 10_000;
/** Taken per channel; sent at once are fewer, so that the next ones are there when these are done. */
const HELD_PER_CHANNEL = 32;
const SENT_PER_CHANNEL = 2;
/** The same for a channel whose last attempt was quick, as long as that leaves half of the room to the others. */
const SENT_PER_QUICK_CHANNEL = 8;
const QUICK_MS = 500;
/** Attempts under way in this process. */
const SENT_MAX = 200;
const SLOW_SENT_MAX = SENT_MAX / 2;
const QUICK_SENT_MAX = SENT_MAX / 2;
/** Rows of one claim. */
const CLAIM_MAX = 400;
/** A worker that is lost gives its rows back after this; more than what it holds can take. */
const LEASE_MS = MINUTE_MS;
/** An attempt that took this long marks its channel as slow. */
const SLOW_MS = 3_000;
/** What is under way at the end gets this long. */
const CLOSE_PATIENCE_MS = 5_000;

export interface WorkerOptions {
  tools: DeliveryTools;
  log: Logger;
  leaseMs?: number;
  pollIntervalMs?: number;
  /** An attempt that was delivered within this is quick, ms. Default 500. */
  quickMs?: number;
}

/** A notification in hand, and since when by this process's monotonic clock. */
interface Queued {
  claimed: ClaimedNotification;
  takenAtMs: number;
}

export class NotificationWorker {
  readonly #options: WorkerOptions;
  readonly #tools: DeliveryTools;
  /** Ends listening and taking. */
  readonly #stopping = new AbortController();
  /** Ends attempts under way. */
  readonly #cutting = new AbortController();
  /** Taken and not begun, by channel. */
  readonly #queues = new Map<number, Queued[]>();
  /** Attempts under way, by channel. */
  readonly #sending = new Map<number, number>();
  /** Attempts that ended and are not recorded yet, by channel. */
  readonly #recording = new Map<number, number>();
  readonly #slowChannels = new Set<number>();
  readonly #quickChannels = new Set<number>();
  readonly #attempts = new Set<Promise<void>>();
  #claiming: Promise<void> | undefined;
  #claimAgain = false;
  #timers: NodeJS.Timeout[] = [];
  #hasFailed = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#tools = options.tools;
  }

  start(): void {
    const { log, pollIntervalMs = POLL_INTERVAL_MS } = this.#options;
    const wake = () => this.wake();
    void listenForWakeUps({
      knex: this.#tools.knex,
      log,
      channel: OUTBOX_CHANNEL,
      onWakeUp: wake,
      signal: this.#stopping.signal,
    });
    this.#timers = [
      setInterval(wake, pollIntervalMs),
      setInterval(
        () => void expireNotifications(this.#tools.knex).catch(() => undefined),
        EXPIRE_INTERVAL_MS,
      ),
    ];
    wake();
  }

  /** Looks for something to send; asked while it looks, it looks once more. */
  wake(): void {
    if (this.#stopping.signal.aborted) return;
    this.#claimAgain = true;
    this.#claiming ??= this.#claimWhileAsked().finally(() => {
      this.#claiming = undefined;
    });
  }

  /** Gives back what is not begun, and lets what is under way come to its end for a while. */
  async close(): Promise<void> {
    this.#stopping.abort();
    for (const timer of this.#timers) clearInterval(timer);
    await this.#claiming;
    const waiting = [...this.#queues.values()].flat().map(({ claimed }) => claimed.key);
    this.#queues.clear();
    await releaseNotifications(this.#tools.knex, this.#tools.owner, waiting).catch(() => undefined);
    const patience = setTimeout(() => this.#cutting.abort(), CLOSE_PATIENCE_MS);
    await Promise.all(this.#attempts);
    clearTimeout(patience);
  }

  async #claimWhileAsked(): Promise<void> {
    while (this.#claimAgain && !this.#stopping.signal.aborted) {
      this.#claimAgain = false;
      try {
        await this.#claim();
        this.#hasFailed = false;
      } catch (error) {
        if (!this.#hasFailed && !this.#stopping.signal.aborted)
          this.#options.log.warn({ err: error }, "notifications can't be read; trying again");
        this.#hasFailed = true;
      }
    }
  }

  async #claim(): Promise<void> {
    const held = this.#held();
    const claimed = await claimNotifications(this.#tools.knex, {
      owner: this.#tools.owner,
      leaseMs: this.#options.leaseMs ?? LEASE_MS,
      limit: CLAIM_MAX,
      perChannel: HELD_PER_CHANNEL,
      held,
    });
    const takenAtMs = performance.now();
    for (const notification of claimed) {
      const queue = this.#queues.get(notification.channelKey) ?? [];
      queue.push({ claimed: notification, takenAtMs });
      this.#queues.set(notification.channelKey, queue);
    }
    this.#dispatch();
  }

  #held(): Map<number, number> {
    const held = new Map(this.#sending);
    for (const [channelKey, count] of this.#recording) add(held, channelKey, count);
    for (const [channelKey, queue] of this.#queues) add(held, channelKey, queue.length);
    return held;
  }

  /** Begins what there is room for. */
  #dispatch(): void {
    for (const [channelKey, queue] of this.#queues) {
      while (queue.length > 0 && this.#hasRoomFor(channelKey)) {
        const next = queue.shift();
        if (next && this.#isStillOurs(next)) this.#begin(next.claimed);
      }
      if (queue.length === 0) this.#queues.delete(channelKey);
    }
  }

  /** One that waited so long here that its lease may end before the attempt does is left to whoever takes it next. */
  #isStillOurs({ takenAtMs }: Queued): boolean {
    const leaseMs = this.#options.leaseMs ?? LEASE_MS;
    return performance.now() - takenAtMs + this.#tools.attemptTimeoutMs <= leaseMs;
  }

  #hasRoomFor(channelKey: number): boolean {
    const own = this.#sending.get(channelKey) ?? 0;
    const all = sum(this.#sending.values());
    const isQuick = this.#quickChannels.has(channelKey) && all < QUICK_SENT_MAX;
    if (own >= (isQuick ? SENT_PER_QUICK_CHANNEL : SENT_PER_CHANNEL) || all >= SENT_MAX) return false;
    if (!this.#slowChannels.has(channelKey)) return true;
    const slow = [...this.#sending].filter(([key]) => this.#slowChannels.has(key));
    return sum(slow.map(([, count]) => count)) < SLOW_SENT_MAX;
  }

  #begin(claimed: ClaimedNotification): void {
    const work = this.#sendAndRecord(claimed)
      .catch((error) => {
        // Its lease ends by itself and somebody tries again.
        if (!this.#cutting.signal.aborted)
          this.#options.log.warn({ err: error }, "an attempt to notify could not be recorded");
      })
      .finally(() => this.#attempts.delete(work));
    this.#attempts.add(work);
  }

  async #sendAndRecord(claimed: ClaimedNotification): Promise<void> {
    const { channelKey } = claimed;
    const { quickMs = QUICK_MS } = this.#options;
    add(this.#sending, channelKey, 1);
    const marks = [
      setTimeout(() => this.#quickChannels.delete(channelKey), quickMs),
      setTimeout(() => this.#slowChannels.add(channelKey), SLOW_MS),
    ];
    const attempt = await makeAttempt(this.#tools, claimed, this.#cutting.signal).finally(() => {
      for (const mark of marks) clearTimeout(mark);
      add(this.#sending, channelKey, -1);
    });
    if (attempt.durationMs < SLOW_MS) this.#slowChannels.delete(channelKey);
    if (attempt.status === "delivered" && attempt.durationMs < quickMs) this.#quickChannels.add(channelKey);
    else this.#quickChannels.delete(channelKey);
    add(this.#recording, channelKey, 1);
    // The next one need not wait for the record.
    this.#dispatch();
    await recordAttempt(this.#tools, claimed, attempt).finally(() => {
      add(this.#recording, channelKey, -1);
      // Before the channel runs dry, and for what waited until this one had been told.
      if ((this.#queues.get(channelKey)?.length ?? 0) < HELD_PER_CHANNEL / 2) this.wake();
    });
  }
}

function add(counts: Map<number, number>, key: number, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

function sum(counts: Iterable<number>): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
