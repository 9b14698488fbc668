/** The live streams of one replica: who may open one, and the hub of each team that somebody watches. */
import { type CheckId, DomainError, LIVE_TOPICS, type LiveTopic, type TeamId } from "@svc/contract";
import pLimit from "p-limit";
import type { Registry } from "prom-client";
import { actorIdOf, type Caller } from "../platform/http/caller.ts";
import type { Services } from "../platform/services.ts";
import type { ResultColumns } from "../results/ingest/columns.ts";
import { LiveHub } from "./live-hub.ts";
import { LiveStream } from "./live-stream.ts";
import { type LiveMetrics, liveMetrics } from "./metrics.ts";
import { LIVE_TIMING, type LiveTiming } from "./timing.ts";

/** Streams of one person, key or display link: a browser has one, whatever its tabs are. */
const STREAMS_PER_CALLER_MAX = 20;
/** Topics that the wall needs: a screen's stream carries no others. */
const DISPLAY_TOPICS: ReadonlySet<LiveTopic> = new Set(["states", "alert", "change"]);
/** Callers as refusals name them. */
const CALLERS = { session: "A person", api_key: "A key", display: "A display link" } as const;
/** Hubs that look at the database at a time. */
const LOOKS_AT_ONCE = 2;

/** A client's wish for a stream. */
export interface StreamRequest {
  caller: Caller;
  /** Default: all. */
  topics?: readonly LiveTopic[] | undefined;
  /** Checks of which every result is wanted. */
  checkIds?: readonly CheckId[] | undefined;
}

/**
 * Opens streams within the limits of a person and a team, and owns the hub of each team that has one. Ends all streams
 * before the replica stops.
 */
export class LiveHubs {
  readonly #services: Services;
  readonly #timing: LiveTiming;
  readonly #metrics: LiveMetrics;
  readonly #hubs = new Map<TeamId, LiveHub>();
  readonly #hubOfCheck = new Map<number, LiveHub>();
  /** Open streams by team and by caller. */
  readonly #open = new Map<string, number>();
  readonly #streams = new Set<LiveStream>();
  readonly #limit = pLimit(LOOKS_AT_ONCE);
  #isClosed = false;

  constructor(
    services: Services,
    { registry, timing = LIVE_TIMING }: { registry: Registry; timing?: LiveTiming },
  ) {
    this.#services = services;
    this.#timing = timing;
    this.#metrics = liveMetrics(registry);
  }

  /**
   * Opens a stream. It carries nothing until it has joined.
   * @throws DomainError `rate_limited` when the caller or the team has as many as it may; `unavailable` when the replica stops
   */
  open({ caller, topics = LIVE_TOPICS, checkIds = [] }: StreamRequest): LiveStream {
    if (this.#isClosed)
      throw new DomainError("unavailable", "This replica is about to stop; connect again", {
        retryAfterSeconds: 1,
      });
    const callerId = actorIdOf(caller);
    this.#assertFewer(callerId, STREAMS_PER_CALLER_MAX, CALLERS[caller.kind]);
    this.#assertFewer(caller.teamId, this.#services.config.liveStreamsPerTeamMax, "A team");
    this.#count(callerId, 1);
    this.#count(caller.teamId, 1);
    const stream: LiveStream = new LiveStream({
      caller,
      topics: new Set(
        caller.kind === "display" ? topics.filter((topic) => DISPLAY_TOPICS.has(topic)) : topics,
      ),
      checkIds: new Set(checkIds),
      onEnd: (reason) => {
        this.#count(callerId, -1);
        this.#count(caller.teamId, -1);
        this.#streams.delete(stream);
        this.#metrics.streams.set(this.#streams.size);
        this.#metrics.streamsEnded.inc({ reason });
        this.#hubs.get(caller.teamId)?.leave(stream);
      },
    });
    this.#streams.add(stream);
    this.#metrics.streams.set(this.#streams.size);
    return stream;
  }

  /**
   * Begins to send to an open stream.
   * @param request.lastEventId id of the newest event that the client has
   * @throws DomainError `not_found` for a check that the team does not have
   */
  async join(
    stream: LiveStream,
    { checkIds = [], lastEventId }: Pick<StreamRequest, "checkIds"> & { lastEventId?: string | undefined },
  ): Promise<void> {
    try {
      await this.#hubOf(stream.caller.teamId).join(stream, { checkIds, lastEventId });
    } catch (error) {
      stream.readable.destroy();
      throw error;
    }
  }

  /**
   * Takes over results that this replica has committed; a few steps for each row while anybody watches, else none.
   * @param isInserted true for the rows that are new
   */
  readonly noteStored = (columns: ResultColumns, isInserted: (row: number) => boolean): void => {
    if (this.#hubs.size === 0) return;
    const { checkKeys, locationKeys, slotsMs, statuses, responseTimeUs } = columns;
    for (let row = 0; row < checkKeys.length; row++) {
      const checkKey = checkKeys[row] as number;
      const hub = this.#hubOfCheck.get(checkKey);
      if (!hub || !isInserted(row)) continue;
      hub.noteStored({
        checkKey,
        locationKey: locationKeys[row] as number,
        slotMs: slotsMs[row] as number,
        status: statuses[row] as number,
        responseTimeUs: responseTimeUs[row] as number,
      });
    }
  };

  /** Says goodbye to every stream, and takes no more. Safe to call twice. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#hubs].map(([teamId, hub]) => this.#closeHub(teamId, hub)));
    for (const stream of [...this.#streams]) stream.end("stopping");
  }

  #hubOf(teamId: TeamId): LiveHub {
    const known = this.#hubs.get(teamId);
    if (known && !known.hasFailed) return known;
    if (known) void this.#closeHub(teamId, known);
    const hub: LiveHub = new LiveHub({
      services: this.#services.reading ?? this.#services,
      teamId,
      timing: this.#timing,
      metrics: this.#metrics,
      limit: this.#limit,
      onKnown: (checkKey, isKnown) => {
        if (isKnown) this.#hubOfCheck.set(checkKey, hub);
        else if (this.#hubOfCheck.get(checkKey) === hub) this.#hubOfCheck.delete(checkKey);
      },
      onIdle: () => void this.#closeHub(teamId, hub),
    });
    this.#hubs.set(teamId, hub);
    this.#metrics.hubs.set(this.#hubs.size);
    return hub;
  }

  async #closeHub(teamId: TeamId, hub: LiveHub): Promise<void> {
    if (this.#hubs.get(teamId) === hub) this.#hubs.delete(teamId);
    this.#metrics.hubs.set(this.#hubs.size);
    await hub.close();
  }

  #assertFewer(id: string, max: number, who: string): void {
    if ((this.#open.get(id) ?? 0) < max) return;
    throw new DomainError(
      "rate_limited",
      `${who} may have ${max} live streams at a time; close another one`,
      {
        retryAfterSeconds: 15,
      },
    );
  }

  #count(id: string, by: 1 | -1): void {
    const count = (this.#open.get(id) ?? 0) + by;
    if (count > 0) this.#open.set(id, count);
    else this.#open.delete(id);
  }
}
