/** The cells into which slots are sorted. Pure. All instants are Unix ms. */
import { type SlotSpan, slotCount } from "../coverage/expected-slots.ts";
import type { TimeRange } from "../coverage/time-range.ts";

/** How slots are sorted into cells: each is one by itself, or those due within one length of time are. */
export interface CellGrid {
  fromMs: number;
  /** Length of a cell; null: each slot is a cell. */
  cellMs: number | null;
}

/** Returns the grid of at most `cellsMax` cells per location: one cell per slot where those are no more. */
export function gridOf(spans: readonly SlotSpan[], { fromMs, toMs }: TimeRange, cellsMax: number): CellGrid {
  const counts = new Map<number, number>();
  for (const span of spans)
    counts.set(span.locationKey, (counts.get(span.locationKey) ?? 0) + slotCount(span));
  const most = [...counts.values()].reduce((a, b) => Math.max(a, b), 0);
  return { fromMs, cellMs: most <= cellsMax ? null : Math.max(1, Math.ceil((toMs - fromMs) / cellsMax)) };
}

/** Returns the cell of a slot: the slot itself, or the begin of the cell in which it was due. */
export function cellOf({ fromMs, cellMs }: CellGrid, slotMs: number, staggerMs: number): number {
  if (cellMs === null) return slotMs;
  return fromMs + Math.floor((slotMs + staggerMs - fromMs) / cellMs) * cellMs;
}

/** Returns how many slots of a span lie in each cell that has some. */
export function countByCell(grid: CellGrid, span: SlotSpan): Map<number, number> {
  const counts = new Map<number, number>();
  const { firstSlotMs, lastSlotMs, periodMs, staggerMs } = span;
  const { cellMs } = grid;
  for (let slotMs = firstSlotMs; slotMs <= lastSlotMs; ) {
    const cell = cellOf(grid, slotMs, staggerMs);
    // The last slot of the span that is due before the cell ends.
    const reachMs = cellMs === null ? slotMs : Math.min(lastSlotMs, cell + cellMs - 1 - staggerMs);
    const count = Math.floor((reachMs - slotMs) / periodMs) + 1;
    counts.set(cell, (counts.get(cell) ?? 0) + count);
    slotMs += count * periodMs;
  }
  return counts;
}

/** Returns the part of a span whose slots are due before an instant; undefined when none is. */
export function dueBefore(span: SlotSpan, untilMs: number): SlotSpan | undefined {
  const slots = Math.min(
    slotCount(span),
    Math.ceil((untilMs - span.staggerMs - span.firstSlotMs) / span.periodMs),
  );
  if (slots <= 0) return undefined;
  return { ...span, lastSlotMs: span.firstSlotMs + (slots - 1) * span.periodMs };
}
