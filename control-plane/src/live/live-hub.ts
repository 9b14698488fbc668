/**
 * What one replica does for the people who watch one team: it knows how the team's checks stand, learns of changes, and sends
 * them to every stream. It exists only while somebody watches. This replica's own results are reported to it after their commit;
 * everything else comes by a look at the database each second.
 */
import { type CheckId, LIVE_STATES_MAX, type LiveEvent, notFound, type TeamId } from "@svc/contract";
import type { LimitFunction } from "p-limit";
import { findHeldCredentials } from "../accounts/identity/credential-store.ts";
import { monotonicMs } from "../platform/clock.ts";
import { credentialIdOf } from "../platform/http/caller.ts";
import type { Services } from "../platform/services.ts";
import { WakeableWorker } from "../platform/wakeable-worker.ts";
import { type Frame, FrameLog, frameOf } from "./frame.ts";
import type { LiveStream } from "./live-stream.ts";
import type { LiveMetrics } from "./metrics.ts";
import { RecordCursor } from "./record-cursor.ts";
import { ResultReader } from "./result-reader.ts";
import type { LiveTiming } from "./timing.ts";
import { type StoredResult, WatchedChecks } from "./watched-checks.ts";

/** Bytes of the newest events that are kept for clients that connect again. */
const LOG_BYTES_MAX = 256 * 1024;
/** Looks that may have failed before pings stop: without them clients say that they are not live. */
const FAILED_LOOKS_MS_MAX = 5_000;

/** The team, the replica's shared parts, and whom the hub tells about its checks and its end. */
export interface LiveHubOptions {
  services: Pick<Services, "knex" | "clock" | "log" | "replicaId">;
  teamId: TeamId;
  timing: LiveTiming;
  metrics: LiveMetrics;
  /** Bounds the looks of all hubs together. */
  limit: LimitFunction;
  onKnown: (checkKey: number, isKnown: boolean) => void;
  /** Called when nobody has watched for a while. */
  onIdle: () => void;
}

/**
 * Keeps the state of one team's checks and sends each change to the open streams of that team. Ended by its owner when the
 * last stream ends.
 */
export class LiveHub {
  readonly #options: LiveHubOptions;
  readonly #checks = new WatchedChecks();
  readonly #streams = new Map<LiveStream, readonly number[]>();
  readonly #records: RecordCursor;
  readonly #results: ResultReader;
  readonly #log: FrameLog;
  readonly #worker: WakeableWorker;
  readonly #pings: NodeJS.Timeout;
  readonly #ready: Promise<void>;
  #hasFailed = false;
  /** Streams that wait for the first look. */
  #joining = 0;
  #callersFromMs: number;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #merging: NodeJS.Timeout | undefined;
  #lingering: NodeJS.Timeout | undefined;

  constructor(options: LiveHubOptions) {
    const { services, teamId, timing, onKnown } = options;
    const { knex: db, clock, log, replicaId } = services;
    this.#options = options;
    this.#records = new RecordCursor(db, teamId);
    this.#results = new ResultReader({ db, teamId, checks: this.#checks, timing, onKnown });
    this.#log = new FrameLog(replicaId, { firstNumber: clock.nowMs(), bytesMax: LOG_BYTES_MAX });
    this.#callersFromMs = monotonicMs() + timing.callersIntervalMs;
    this.#worker = new WakeableWorker({
      log,
      failureMessage: "live updates can't be read; trying again",
      pollIntervalMs: timing.lookIntervalMs,
      work: (signal) => options.limit(() => this.#look(signal)),
    });
    this.#ready = this.#worker.nextRound();
    this.#ready.catch(() => {
      this.#hasFailed = true;
    });
    this.#worker.start();
    this.#pings = setInterval(() => this.#ping(), timing.pingIntervalMs);
  }

  /** True when the first look has failed, so that a new hub has to take this one's place. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /**
   * Begins to send to a stream: hello, then what it missed since `lastEventId`, then what happens.
   * @throws DomainError `not_found` for a check that the team does not have; the database's error when it can't be read
   */
  async join(
    stream: LiveStream,
    { checkIds, lastEventId }: { checkIds: readonly CheckId[]; lastEventId: string | undefined },
  ): Promise<void> {
    this.#joining++;
    const checkKeys = await this.#ready
      .then(() => this.#keysOf(checkIds))
      .finally(() => {
        this.#joining--;
      });
    if (stream.hasEnded) return this.#lingerIfIdle();
    for (const checkKey of checkKeys) this.#checks.follow(checkKey, 1);
    this.#streams.set(stream, checkKeys);
    clearTimeout(this.#lingering);
    const { pingIntervalMs } = this.#options.timing;
    const hello = frameOf(
      { name: "hello", data: { serverTime: this.#serverTime(), pingIntervalMs } },
      this.#log.newestId,
    );
    this.#send(hello, [stream]);
    if (lastEventId === undefined) return;
    const missed = this.#log.after(lastEventId) ?? [
      resync("events since the last connection are not known here"),
    ];
    for (const frame of missed) this.#send(frame, [stream]);
  }

  /** Ends the sending to a stream. */
  leave(stream: LiveStream): void {
    for (const checkKey of this.#streams.get(stream) ?? []) this.#checks.follow(checkKey, -1);
    this.#streams.delete(stream);
    this.#lingerIfIdle();
  }

  /** Ends the hub after a while in which nobody watches and nobody is about to. */
  #lingerIfIdle(): void {
    const isIdle = () => this.#streams.size === 0 && this.#joining === 0;
    if (!isIdle()) return;
    clearTimeout(this.#lingering);
    this.#lingering = setTimeout(() => isIdle() && this.#options.onIdle(), this.#options.timing.lingerMs);
  }

  /** Takes over a result that this replica has stored. */
  noteStored(result: StoredResult): void {
    this.#checks.apply(result);
    if (!this.#checks.hasDifferences || this.#merging) return;
    this.#flushSoon();
    // Its transaction may have written events of alerts, too.
    this.#worker.wake();
  }

  /** Says goodbye to every stream and ends all work. */
  async close(): Promise<void> {
    clearInterval(this.#pings);
    clearTimeout(this.#merging);
    clearTimeout(this.#lingering);
    for (const stream of [...this.#streams.keys()]) stream.end("stopping");
    for (const checkKey of this.#checks.keys()) this.#options.onKnown(checkKey, false);
    await this.#worker.close();
  }

  async #look(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const nowMs = this.#options.services.clock.nowMs();
    if (monotonicMs() >= this.#callersFromMs) await this.#endRevoked(nowMs);
    const { records, isCut } = await this.#records.next(nowMs);
    if (isCut) this.#results.readAllNext();
    await this.#reloadChanged(
      records.map(({ event }) => event),
      nowMs,
    );
    await this.#results.look(nowMs);
    this.#lookedAtMs = monotonicMs();
    for (const { event } of records) this.#send(this.#log.append(event));
    if (isCut) this.#send(this.#log.append(RESYNC_MANY));
    if (this.#checks.hasDifferences) this.#flushSoon();
    return false;
  }

  /** Reads the checks anew whose configuration was changed. */
  async #reloadChanged(events: readonly LiveEvent[], nowMs: number): Promise<void> {
    const changed = new Set<CheckId>();
    for (const event of events) {
      if (event.name !== "change" || event.data.type !== "check") continue;
      const id = event.data.resourceId as CheckId;
      if (event.data.action === "deleted") this.#results.forget(id);
      else changed.add(id);
    }
    await this.#results.load([...changed], nowMs);
  }

  async #keysOf(ids: readonly CheckId[]): Promise<number[]> {
    const unknown = ids.filter((id) => this.#checks.keyOf(id) === undefined);
    await this.#results.load(unknown, this.#options.services.clock.nowMs());
    return ids.map((id) => {
      const checkKey = this.#checks.keyOf(id);
      if (checkKey === undefined) throw notFound("Check");
      return checkKey;
    });
  }

  /** Ends the streams of callers that may not read any more. */
  async #endRevoked(nowMs: number): Promise<void> {
    const { services, teamId, timing } = this.#options;
    // Those that join meanwhile were looked at just now.
    const streams = [...this.#streams.keys()];
    const ids = streams.map(({ caller }) => credentialIdOf(caller));
    const held = await findHeldCredentials(services.knex, { teamId, ids }, new Date(nowMs));
    for (const stream of streams) if (!held.has(credentialIdOf(stream.caller))) stream.end("credential");
    this.#callersFromMs = monotonicMs() + timing.callersIntervalMs;
  }

  #flushSoon(): void {
    this.#merging ??= setTimeout(() => {
      this.#merging = undefined;
      const { states, results } = this.#checks.flush(LIVE_STATES_MAX);
      if (states.length > 0) this.#send(this.#log.append({ name: "states", data: { states } }));
      for (const data of results) this.#send(this.#log.append({ name: "results", data }));
      if (this.#checks.hasDifferences) this.#flushSoon();
    }, this.#options.timing.mergeMs);
  }

  /** Tells all streams that what they show is true, while the looks succeed. */
  #ping(): void {
    const { lookIntervalMs } = this.#options.timing;
    if (monotonicMs() - this.#lookedAtMs > lookIntervalMs + FAILED_LOOKS_MS_MAX) return;
    this.#send(frameOf({ name: "ping", data: { serverTime: this.#serverTime() } }));
  }

  #send(frame: Frame, streams: Iterable<LiveStream> = this.#streams.keys()): void {
    let sent = 0;
    for (const stream of [...streams]) if (stream.send(frame)) sent++;
    this.#options.metrics.eventsSent.inc(sent);
  }

  #serverTime(): string {
    return new Date(this.#options.services.clock.nowMs()).toISOString();
  }
}

const RESYNC_MANY = { name: "resync", data: { reason: "more happened at once than is reported" } } as const;

function resync(reason: string): Frame {
  return frameOf({ name: "resync", data: { reason } });
}
