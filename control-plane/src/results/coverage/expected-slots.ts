/**
 * Which slots were due: from the history of a check's schedule, without looking at results. Pure. A slot belongs to the
 * schedule that was in force when its run was due at the location (slot + stagger). All instants are Unix ms.
 */
import { phaseMs, slotAtOrAfter, staggerMs } from "@svc/contract";

/** A schedule and when it was in force: from the first instant on, up to but not including the second. */
export interface ScheduleInForce {
  frequencySeconds: number;
  /** In the order of the check's list, which decides the stagger. */
  locationKeys: readonly number[];
  enabled: boolean;
  effectiveFromMs: number;
  /** null: until now. */
  effectiveUntilMs: number | null;
}

/** Slots of one location, evenly spaced: first, first + period, ..., last. Never empty. */
export interface SlotSpan {
  locationKey: number;
  firstSlotMs: number;
  lastSlotMs: number;
  periodMs: number;
  /** How long after the slot its run is due. */
  staggerMs: number;
}

/**
 * The slots whose run was due in [fromMs, toMs), as spans that have no slot of a location in common.
 * @param schedules oldest first; they don't overlap
 */
export function expectedSlots(
  checkId: string,
  schedules: readonly ScheduleInForce[],
  fromMs: number,
  toMs: number,
): SlotSpan[] {
  const spans: SlotSpan[] = [];
  for (const schedule of schedules) {
    if (!schedule.enabled) continue;
    const dueFromMs = Math.max(fromMs, schedule.effectiveFromMs);
    const dueUntilMs = Math.min(toMs, schedule.effectiveUntilMs ?? toMs);
    for (const [index, locationKey] of schedule.locationKeys.entries()) {
      const span = spanOf(checkId, schedule, index, dueFromMs, dueUntilMs);
      const known = spans.filter((other) => other.locationKey === locationKey);
      const remaining = span && withoutKnownFirst({ ...span, locationKey }, known);
      if (remaining) spans.push(remaining);
    }
  }
  return spans;
}

/** Runs that were ordered for an instant of their own, as spans of one slot; those that `spans` have are left out. */
export function manualSlots(
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

/** How many slots a span has. */
export function slotCount(span: SlotSpan): number {
  return (span.lastSlotMs - span.firstSlotMs) / span.periodMs + 1;
}

function spanOf(
  checkId: string,
  { frequencySeconds, locationKeys }: ScheduleInForce,
  index: number,
  dueFromMs: number,
  dueUntilMs: number,
): Omit<SlotSpan, "locationKey"> | undefined {
  const periodMs = frequencySeconds * 1000;
  const phase = phaseMs(checkId, frequencySeconds);
  const stagger = staggerMs(index, locationKeys.length, periodMs);
  const firstSlotMs = slotAtOrAfter(dueFromMs - stagger, periodMs, phase);
  const lastSlotMs = slotAtOrAfter(dueUntilMs - stagger, periodMs, phase) - periodMs;
  return lastSlotMs < firstSlotMs ? undefined : { firstSlotMs, lastSlotMs, periodMs, staggerMs: stagger };
}

/**
 * A change of the stagger can make one slot due under two schedules; it stays one slot. Only a span's first slot can lie
 * before the change, as the stagger is less than the period.
 */
function withoutKnownFirst(span: SlotSpan, known: readonly SlotSpan[]): SlotSpan | undefined {
  if (!known.some((other) => hasSlot(other, span.firstSlotMs))) return span;
  const firstSlotMs = span.firstSlotMs + span.periodMs;
  return firstSlotMs > span.lastSlotMs ? undefined : { ...span, firstSlotMs };
}

function hasSlot(span: SlotSpan, slotMs: number): boolean {
  return (
    slotMs >= span.firstSlotMs &&
    slotMs <= span.lastSlotMs &&
    (slotMs - span.firstSlotMs) % span.periodMs === 0
  );
}
