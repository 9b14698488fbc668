/** Brings what the stream says into the answers that the pages show: differences at once, everything else by reading anew. */
import type { LiveTopic } from "@svc/contract";
import type { Query, QueryClient } from "@tanstack/react-query";
import { healthQuery } from "../api/queries/checks.ts";
import type { StreamEvent } from "./message.ts";

/** Most results that the list of states shows of a check. */
const RESULTS_MAX = 20;
/** Time in which a query is read anew at most once. */
const PAUSE_MS = 1_000;

type StatesEvent = Extract<StreamEvent, { name: "states" }>["data"];

/** Applies each event of the stream to the query client, and reads a query anew at most once in `PAUSE_MS`. */
export class EventApplier {
  readonly #client: QueryClient;
  readonly #readAt = new Map<string, number>();
  readonly #waiting = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(client: QueryClient) {
    this.#client = client;
  }

  /** Applies an event. Those that are about the stream itself change nothing here. */
  apply(event: StreamEvent): void {
    if (event.name === "states") this.#applyStates(event.data);
    if (event.name === "resync") this.readAll();
    const checkIds = checkIdsOf(event);
    for (const query of this.#client.getQueryCache().getAll())
      if (isConcerned(query, event.name, checkIds)) this.#readAnew(query);
  }

  /** Reads everything anew that the stream keeps up to date, since events may be missing. */
  readAll(): void {
    void this.#client.invalidateQueries({ predicate: ({ meta }) => meta?.live !== undefined });
  }

  #applyStates({ states }: StatesEvent): void {
    const changed = new Map(states.map((state) => [state.checkId as string, state]));
    this.#client.setQueryData(healthQuery.queryKey, (known) =>
      known?.map((check) => {
        const state = changed.get(check.checkId);
        if (!state) return check;
        const isKnown = new Set(check.results.map(({ locationId, slotAt }) => `${locationId} ${slotAt}`));
        const added = state.results.filter(
          ({ locationId, slotAt }) => !isKnown.has(`${locationId} ${slotAt}`),
        );
        const results = [...check.results, ...added].sort((a, b) => (a.slotAt < b.slotAt ? -1 : 1));
        const { health, failingLocations } = state;
        return { ...check, health, failingLocations, results: results.slice(-RESULTS_MAX) };
      }),
    );
  }

  /** Reads a query anew, at once unless that was done just now, and again when the service may have answered from memory. */
  #readAnew({ queryHash, queryKey, meta }: Query): void {
    const nowMs = performance.now();
    const waitMs = Math.max(0, (this.#readAt.get(queryHash) ?? -PAUSE_MS) + PAUSE_MS - nowMs);
    if (waitMs === 0) this.#read(queryHash, queryKey);
    this.#readLater(queryHash, queryKey, waitMs || (meta?.live?.cachedForMs ?? 0));
  }

  #read(queryHash: string, queryKey: Query["queryKey"]): void {
    this.#readAt.set(queryHash, performance.now());
    void this.#client.invalidateQueries({ queryKey, exact: true });
  }

  #readLater(queryHash: string, queryKey: Query["queryKey"], waitMs: number): void {
    if (waitMs === 0 || this.#waiting.has(queryHash)) return;
    const timer = setTimeout(() => {
      this.#waiting.delete(queryHash);
      this.#read(queryHash, queryKey);
    }, waitMs);
    this.#waiting.set(queryHash, timer);
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
