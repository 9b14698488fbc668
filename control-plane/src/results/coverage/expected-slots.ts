/**
 * Computes which slots were due from the history of a check's schedule, without results. Pure. A slot belongs to the
 * schedule that was in force when its run was due at the location (slot + stagger). All instants are Unix ms.
 */
import { type CheckId, phaseMs, slotAtOrAfter, staggerMs } from "@svc/contract";
import type { TimeRange } from "./time-range.ts";

/** A schedule and the time when it was in force: from the first instant on, up to but not including the second. */
export interface ScheduleInForce {
  frequencySeconds: number;
  /** Keys of the locations, in the order of the check's list, which decides the stagger. */
  locationKeys: readonly number[];
  enabled: boolean;
  effectiveFromMs: number;
  /** null: it is still in force. */
  effectiveUntilMs: number | null;
}

/** Slots of one location, evenly spaced: first, first + period, ..., last. Never empty. */
export interface SlotSpan {
  locationKey: number;
  firstSlotMs: number;
  lastSlotMs: number;
  periodMs: number;
  /** Time between a slot and the start of its run. */
  staggerMs: number;
}

/**
 * Returns the slots whose run was due in the range, as spans that have no slot of a location in common.
 * @param schedules oldest first, without overlaps
 */
export function expectedSlots(
  checkId: CheckId,
  schedules: readonly ScheduleInForce[],
  { fromMs, toMs }: TimeRange,
): SlotSpan[] {
  const spans: SlotSpan[] = [];
  for (const schedule of schedules) {
    if (!schedule.enabled) continue;
    const dueFromMs = Math.max(fromMs, schedule.effectiveFromMs);
    const dueUntilMs = Math.min(toMs, schedule.effectiveUntilMs ?? toMs);
    for (const [index, locationKey] of schedule.locationKeys.entries()) {
      const span = spanOf(checkId, schedule, { index, dueFromMs, dueUntilMs });
      const known = spans.filter((other) => other.locationKey === locationKey);
      const remaining = span && withoutKnownFirst({ ...span, locationKey }, known);
      if (remaining) spans.push(remaining);
    }
  }
  return spans;
}

/** Returns dispatched runs as spans of one slot each; those whose slot is in one of `spans` are left out. */
export function dispatchedSlots(
  runs: readonly { slotMs: number; locationKeys: readonly number[] }[],
  spans: readonly SlotSpan[],
): SlotSpan[] {
  return runs.flatMap(({ slotMs, locationKeys }) =>
    locationKeys
      .filter((key) => !spans.some((span) => span.locationKey === key && hasSlot(span, slotMs)))
      .map((locationKey) => ({
        locationKey,
        firstSlotMs: slotMs,
        lastSlotMs: slotMs,
        periodMs: 1,
        staggerMs: 0,
      })),
  );
}

/** Returns the number of slots of the spans that lie in the parts, which are half-open and don't overlap. */
export function slotsWithin(spans: readonly SlotSpan[], parts: readonly TimeRange[]): number {
  let count = 0;
  for (const span of spans) for (const part of parts) count += slotsOf(span, part);
  return count;
}

/** Returns the number of slots of a span. */
export function slotCount(span: SlotSpan): number {
  return (span.lastSlotMs - span.firstSlotMs) / span.periodMs + 1;
}

function spanOf(
  checkId: CheckId,
  { frequencySeconds, locationKeys }: ScheduleInForce,
  { index, dueFromMs, dueUntilMs }: { index: number; dueFromMs: number; dueUntilMs: number },
): Omit<SlotSpan, "locationKey"> | undefined {
  const periodMs = frequencySeconds * 1000;
  const phase = phaseMs(checkId, frequencySeconds);
  const stagger = staggerMs(index, locationKeys.length, periodMs);
  const firstSlotMs = slotAtOrAfter(dueFromMs - stagger, periodMs, phase);
  const lastSlotMs = slotAtOrAfter(dueUntilMs - stagger, periodMs, phase) - periodMs;
  return lastSlotMs < firstSlotMs ? undefined : { firstSlotMs, lastSlotMs, periodMs, staggerMs: stagger };
}

/**
 * Returns the span without its first slot when another span has that slot. A change of the stagger can make one slot due
 * under two schedules. Only a span's first slot can lie before the change, as the stagger is less than the period.
 */
function withoutKnownFirst(span: SlotSpan, known: readonly SlotSpan[]): SlotSpan | undefined {
  if (!known.some((other) => hasSlot(other, span.firstSlotMs))) return span;
  const firstSlotMs = span.firstSlotMs + span.periodMs;
  return firstSlotMs > span.lastSlotMs ? undefined : { ...span, firstSlotMs };
}

/** True when the span has this slot. */
export function hasSlot(span: SlotSpan, slotMs: number): boolean {
  return (
    slotMs >= span.firstSlotMs &&
    slotMs <= span.lastSlotMs &&
    (slotMs - span.firstSlotMs) % span.periodMs === 0
  );
}

/** Returns the spans cut to the slots that lie in the parts, which are half-open and don't overlap. */
export function spansWithin(spans: readonly SlotSpan[], parts: readonly TimeRange[]): SlotSpan[] {
  return spans.flatMap((span) =>
    parts.flatMap((part) => {
      const [first, last] = positionsIn(span, part);
      if (last < first) return [];
      const slotAt = (position: number) => span.firstSlotMs + position * span.periodMs;
      return [{ ...span, firstSlotMs: slotAt(first), lastSlotMs: slotAt(last) }];
    }),
  );
}

function slotsOf(span: SlotSpan, part: TimeRange): number {
  const [first, last] = positionsIn(span, part);
  return Math.max(0, last - first + 1);
}

/** Returns the positions in a span, from 0, of its first and last slot that lie in a range; the last is the smaller one where none does. */
function positionsIn(
  { firstSlotMs, lastSlotMs, periodMs }: SlotSpan,
  { fromMs, toMs }: TimeRange,
): [first: number, last: number] {
  const first = Math.max(0, Math.ceil((fromMs - firstSlotMs) / periodMs));
  const last = Math.min(
    (lastSlotMs - firstSlotMs) / periodMs,
    Math.ceil((toMs - firstSlotMs) / periodMs) - 1,
  );
  return [first, last];
}
