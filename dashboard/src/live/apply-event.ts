/** Brings what the stream says into the answers that the pages show, by reading anew what it is about. */
import type { LiveTopic } from "@svc/contract";
import type { Query, QueryClient } from "@tanstack/react-query";
import { isGone } from "../api/queries/intervals.ts";
import { RequestError } from "../api/request.ts";
import type { StreamEvent } from "./message.ts";

/** Time in which a query is read anew at most once. */
const PAUSE_MS = 1_000;
/** Time in which a page leaves the queries of a check that is gone. */
const LEAVE_MS = 100;

/** Applies each event of the stream to the query client, and reads a query anew at most once in `PAUSE_MS`. */
export class EventApplier {
  readonly #client: QueryClient;
  readonly #readAt = new Map<string, number>();
  /** Queries that a timer will read anew; true: something has happened since it was set. */
  readonly #waiting = new Map<string, boolean>();

  constructor(client: QueryClient) {
    this.#client = client;
  }

  /** Applies an event. Those that are about the stream itself change nothing here. */
  apply(event: StreamEvent): void {
    if (event.name === "resync") this.readAll();
    const checkIds = checkIdsOf(event);
    const isDeletion = event.name === "change" && event.data.action === "deleted" && checkIds !== undefined;
    if (isDeletion) this.#markGone(checkIds);
    // The page of a deleted check has further queries that would be answered 404, and shows them no more by then.
    if (isDeletion) setTimeout(() => this.#readConcerned(event.name, checkIds), LEAVE_MS);
    else this.#readConcerned(event.name, checkIds);
  }

  #readConcerned(name: string, checkIds: ReadonlySet<string> | undefined): void {
    for (const query of this.#client.getQueryCache().getAll())
      if (isConcerned(query, name, checkIds) && !isGone(query)) this.#readAnew(query);
  }

  /** Gives the queries about these checks, which are deleted, the answer that the service would give, without asking it. */
  #markGone(checkIds: ReadonlySet<string>): void {
    for (const query of this.#client.getQueryCache().getAll()) {
      const checkId = query.meta?.live?.checkId;
      if (checkId === undefined || !checkIds.has(checkId)) continue;
      void query.cancel({ silent: true });
      const error = new RequestError(404, "This check was deleted");
      query.setState({ status: "error", fetchStatus: "idle", error, errorUpdatedAt: Date.now() });
    }
  }

  /** Reads everything anew that the stream keeps up to date, since events may be missing. */
  readAll(): void {
    void this.#client.invalidateQueries({
      predicate: (query) => query.meta?.live !== undefined && !isGone(query),
    });
  }

  /** Reads a query anew, at once unless that was done just now, and again when the service may have answered from memory. */
  #readAnew({ queryHash, queryKey, meta }: Query): void {
    if (this.#waiting.has(queryHash)) {
      this.#waiting.set(queryHash, true);
      return;
    }
    const cachedForMs = meta?.live?.cachedForMs ?? 0;
    const waitMs = Math.max(0, (this.#readAt.get(queryHash) ?? -PAUSE_MS) + PAUSE_MS - performance.now());
    if (waitMs === 0) this.#read(queryHash, queryKey);
    this.#readLater({ queryHash, queryKey, cachedForMs }, waitMs || cachedForMs);
  }

  #read(queryHash: string, queryKey: Query["queryKey"]): void {
    this.#readAt.set(queryHash, performance.now());
    void this.#client.invalidateQueries({ queryKey, exact: true, predicate: (query) => !isGone(query) });
  }

  #readLater(
    query: { queryHash: string; queryKey: Query["queryKey"]; cachedForMs: number },
    waitMs: number,
  ): void {
    if (waitMs === 0) return;
    const { queryHash, queryKey, cachedForMs } = query;
    this.#waiting.set(queryHash, false);
    setTimeout(() => {
      const mayBeOld = this.#waiting.get(queryHash) === true;
      this.#waiting.delete(queryHash);
      this.#read(queryHash, queryKey);
      if (mayBeOld) this.#readLater(query, cachedForMs);
    }, waitMs);
  }
}

/** Returns the checks that an event is about; undefined when it is about none in particular. */
function checkIdsOf(event: StreamEvent): ReadonlySet<string> | undefined {
  switch (event.name) {
    case "states":
      return new Set(event.data.states.map(({ checkId }) => checkId));
    case "results":
      return new Set([event.data.checkId]);
    case "change":
      return event.data.type === "check" ? new Set([event.data.resourceId]) : undefined;
    default:
      return undefined;
  }
}

function isConcerned({ meta }: Query, name: string, checkIds: ReadonlySet<string> | undefined): boolean {
  const { live } = meta ?? {};
  if (!live?.topics.includes(name as LiveTopic)) return false;
  return live.checkId === undefined || checkIds === undefined || checkIds.has(live.checkId);
}
