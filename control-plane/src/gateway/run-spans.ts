/**
 * Spans of dispatches and of the runs that they cause, in the trace of the request that asked for them. Each replica remembers the
 * traced dispatches of all: one sends a dispatch, and another may store its result. The check's own trace, which its target
 * sees, stays apart, and the run's span links to it. Memory only; a run without a result has no span.
 */
import { type Attributes, type Context, ROOT_CONTEXT, SpanKind, TraceFlags, trace } from "@opentelemetry/api";
import { MINUTE_MS, rootSpanIdOf, runIdOf, statusOfCode } from "@svc/contract";
import type { FleetState } from "../fleet/fleet-state.ts";
import type { DispatchRow } from "../fleet/fleet-store.ts";
import { type CheckLocationSlot, checkLocationSlotId } from "../platform/check-location.ts";
import { spanContextOf, TRACER } from "../platform/tracing/traceparent.ts";
import { type ResultColumns, traceIdAt } from "../results/ingest/columns.ts";
import { ATTR } from "../telemetry/records/attributes.ts";

/** The longest run, its retries and a delay: no result of a dispatch comes later. */
const REMEMBERED_MS = 15 * MINUTE_MS;
/** Most traced dispatches that a replica remembers; beyond it the oldest runs get no span. */
const REMEMBERED_MAX = 10_000;

/** Remembers traced dispatches, and writes their spans and those of their runs. */
export class RunSpans {
  readonly #state: Pick<FleetState, "identityOf" | "location">;
  /** Contexts that the next span goes below, by slot, oldest first. */
  readonly #expected = new Map<string, { parent: Context; slotMs: number }>();

  /** @param state names checks and locations */
  constructor(state: Pick<FleetState, "identityOf" | "location">) {
    this.#state = state;
  }

  /** Adds those of the dispatches that are traced. */
  expect(rows: readonly DispatchRow[]): void {
    for (const { traceparent, locationKeys, checkKey, slotMs } of rows) {
      const span = traceparent === null ? undefined : spanContextOf(traceparent);
      if (!span) continue;
      const parent = trace.setSpanContext(ROOT_CONTEXT, span);
      for (const locationKey of locationKeys) {
        const id = checkLocationSlotId({ checkKey, locationKey, slotMs });
        // A poll may find a dispatch again.
        if (!this.#expected.has(id)) this.#expected.set(id, { parent, slotMs });
      }
    }
    this.#prune(rows);
  }

  /**
   * Writes the span of a dispatch that was sent now; the run's goes below it.
   * @param runnerKey which runner it was sent to
   */
  dispatched(slot: CheckLocationSlot, runnerKey: number): void {
    const one = this.#expected.get(checkLocationSlotId(slot));
    if (!one) return;
    const attributes = this.#attributesOf(slot, runnerKey);
    const span = trace
      .getTracer(TRACER)
      .startSpan("dispatch run", { kind: SpanKind.PRODUCER, attributes }, one.parent);
    span.end();
    one.parent = trace.setSpan(one.parent, span);
  }

  /** Writes the spans of the dispatched runs among these results. Quick while nothing is expected. */
  stored(columns: ResultColumns, isInserted: (row: number) => boolean): void {
    if (this.#expected.size === 0) return;
    for (const [row, slotMs] of columns.slotsMs.entries()) {
      const slot = {
        checkKey: columns.checkKeys[row] as number,
        locationKey: columns.locationKeys[row] as number,
        slotMs,
      };
      const id = checkLocationSlotId(slot);
      const one = this.#expected.get(id);
      if (!one || !isInserted(row)) continue;
      this.#expected.delete(id);
      this.#writeRun(slot, one.parent, resultOf(columns, row));
    }
  }

  #writeRun(slot: CheckLocationSlot, parent: Context, result: ReturnType<typeof resultOf>): void {
    const { startTime, endTime, status, runnerKey, traceId } = result;
    const link = {
      traceId: traceId ?? "",
      spanId: rootSpanIdOf(traceId ?? ""),
      traceFlags: TraceFlags.SAMPLED,
    };
    trace
      .getTracer(TRACER)
      .startSpan(
        "run",
        {
          kind: SpanKind.CONSUMER,
          startTime,
          attributes: { ...this.#attributesOf(slot, runnerKey), [ATTR.checkStatus]: status },
          ...(traceId !== null && { links: [{ context: link }] }),
        },
        parent,
      )
      .end(endTime);
  }

  #attributesOf(slot: CheckLocationSlot, runnerKey: number): Attributes {
    return {
      [ATTR.runId]: runIdOf(slot),
      [ATTR.checkId]: this.#state.identityOf(slot.checkKey)?.id,
      [ATTR.locationId]: this.#state.location(slot.locationKey)?.id,
      "svc.runner.key": runnerKey,
    };
  }

  #prune(rows: readonly DispatchRow[]): void {
    const newestMs = rows.reduce((newest, { slotMs }) => Math.max(newest, slotMs), 0);
    for (const [id, { slotMs }] of this.#expected) {
      if (slotMs > newestMs - REMEMBERED_MS && this.#expected.size <= REMEMBERED_MAX) break;
      this.#expected.delete(id);
    }
  }
}

/** Returns what a run's span shows of a result; instants are Unix ms. */
function resultOf(columns: ResultColumns, row: number) {
  const startTime = (columns.slotsMs[row] as number) + (columns.startDelaysMs[row] as number);
  return {
    startTime,
    endTime: startTime + (columns.elapsedUs[row] as number) / 1000,
    status: statusOfCode(columns.statuses[row] as number),
    runnerKey: columns.runnerKeys[row] as number,
    traceId: traceIdAt(columns, row),
  };
}
