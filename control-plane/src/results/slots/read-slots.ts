/** Reads the slots of a check in cells. Counts by the functions of coverage, so that both tell one truth. */
import {
  invalidField,
  resultIdOf,
  SLOTS_COUNTED_MAX,
  type SlotCell,
  type Slots,
  statusOfCode,
} from "@svc/contract";
import type { Knex } from "knex";
import type { CheckModel } from "../../checks/row.ts";
import { GRACE_MS } from "../../fleet/timing.ts";
import type { Services } from "../../platform/services.ts";
import { type SlotSpan, slotCount } from "../coverage/expected-slots.ts";
import { readExpected, readLocationIds } from "../coverage/read-coverage.ts";
import { readSchedules } from "../coverage/store.ts";
import type { TimeRange } from "../coverage/time-range.ts";
import { readSnapshot } from "../read-snapshot.ts";
import { type CellGrid, cellOf, countByCell, dueBefore, gridOf } from "./cells.ts";
import { type ExplainedSlot, explainSlots } from "./explain-missing.ts";
import { idleTimes } from "./idle-times.ts";
import { type CellRow, countByCells, readPauses } from "./store.ts";

/** Counts of one location in one cell. */
interface Tally {
  expected: number;
  received: number;
  late: number;
  pending: number;
  missing: Partial<Record<ExplainedSlot["reason"], number>>;
  newest?: Pick<CellRow, "worst" | "worstSlotMs">;
}

const iso = (ms: number) => new Date(ms).toISOString();

/**
 * Reads the slots that are due in the range, up to now. The caller ensures that the check is the team's.
 * @throws DomainError `invalid` when the range holds too many slots
 */
export async function readSlots(
  { knex, clock }: Pick<Services, "knex" | "clock">,
  check: CheckModel,
  { cells, ...range }: TimeRange & { cells: number },
): Promise<Slots> {
  const nowMs = clock.nowMs();
  const due = { fromMs: range.fromMs, toMs: Math.max(range.fromMs, Math.min(range.toMs, nowMs)) };
  // One snapshot, so that the slots counted as missing are those that are explained.
  return readSnapshot(knex, async (trx) => {
    const spans = await readExpected(trx, check, due);
    assertCountable(spans);
    const grid = gridOf(spans, range, cells);
    const tallies = await tallyCells(trx, check, { spans, grid, nowMs });
    const locations = await readLocationIds(trx, check, spans);
    const schedules = await readSchedules(trx, check.key, due);
    const pauses = schedules.every(({ enabled }) => enabled) ? [] : await readPauses(trx, check.key, due);
    const idle = idleTimes(due, { createdAtMs: Date.parse(check.createdAt), schedules, pauses });
    return {
      checkId: check.id,
      from: iso(range.fromMs),
      to: iso(range.toMs),
      cellMs: grid.cellMs,
      idle: idle.map(({ fromMs, toMs, reason }) => ({ from: iso(fromMs), to: iso(toMs), reason })),
      locations: locations.map(({ key, id }) => ({
        locationId: id as Slots["locations"][number]["locationId"],
        ...totalOf([...(tallies.get(key) ?? new Map()).values()]),
        cells: [...(tallies.get(key) ?? new Map<number, Tally>())]
          .sort(([a], [b]) => a - b)
          .map(([at, tally]) => cellFrom(at, tally, { checkKey: check.key, locationKey: key })),
      })),
    };
  });
}

function assertCountable(spans: readonly SlotSpan[]): void {
  const count = spans.reduce((sum, span) => sum + slotCount(span), 0);
  if (count > SLOTS_COUNTED_MAX)
    throw invalidField(
      "from",
      `the range holds ${count} slots; at most ${SLOTS_COUNTED_MAX} are counted at once`,
    );
}

type Tallies = Map<number, Map<number, Tally>>;

async function tallyCells(
  trx: Knex,
  check: CheckModel,
  { spans, grid, nowMs }: { spans: readonly SlotSpan[]; grid: CellGrid; nowMs: number },
): Promise<Tallies> {
  const tallies: Tallies = new Map();
  const judged = spans.flatMap((span) => dueBefore(span, nowMs - GRACE_MS) ?? []);
  const young = spans.flatMap((span) => afterDue(span, nowMs - GRACE_MS) ?? []);
  for (const span of judged)
    for (const [at, count] of countByCell(grid, span))
      tallyAt(tallies, span.locationKey, at).expected += count;
  for (const span of young)
    for (const [at, count] of countByCell(grid, span))
      tallyAt(tallies, span.locationKey, at).pending += count;
  for (const row of judged.length > 0 ? await countByCells(trx, check.key, { spans: judged, grid }) : []) {
    const tally = tallyAt(tallies, row.locationKey, row.cellMs);
    tally.received += row.received;
    tally.late += row.late;
    tally.newest = row;
  }
  // Those that are too young count as pending, but are shown.
  for (const row of young.length > 0 ? await countByCells(trx, check.key, { spans: young, grid }) : []) {
    const tally = tallyAt(tallies, row.locationKey, row.cellMs);
    if (!tally.newest || row.worst >= tally.newest.worst) tally.newest = row;
  }
  const incomplete = judged.filter(({ locationKey }) => {
    const { expected, received } = totalOf([...(tallies.get(locationKey) ?? new Map()).values()]);
    return received < expected;
  });
  for (const slot of await explainSlots(trx, check, { spans: incomplete, nowMs })) {
    const tally = tallyAt(tallies, slot.locationKey, cellOf(grid, slot.slotMs, slot.dueMs - slot.slotMs));
    if (slot.isOpen) {
      tally.expected--;
      tally.pending++;
    } else tally.missing[slot.reason] = (tally.missing[slot.reason] ?? 0) + 1;
  }
  return tallies;
}

function tallyAt(tallies: Tallies, locationKey: number, at: number): Tally {
  const cells = tallies.get(locationKey) ?? new Map<number, Tally>();
  tallies.set(locationKey, cells);
  const tally = cells.get(at) ?? { expected: 0, received: 0, late: 0, pending: 0, missing: {} };
  cells.set(at, tally);
  return tally;
}

/** Returns the part of a span whose slots are due at an instant or later; undefined when none is. */
function afterDue(span: SlotSpan, fromMs: number): SlotSpan | undefined {
  const before = dueBefore(span, fromMs);
  if (!before) return span;
  if (before.lastSlotMs === span.lastSlotMs) return undefined;
  return { ...span, firstSlotMs: before.lastSlotMs + span.periodMs };
}

function cellFrom(
  atMs: number,
  { expected, received, late, pending, missing, newest }: Tally,
  key: { checkKey: number; locationKey: number },
): SlotCell {
  const reasons = withRest(missing, expected - received);
  return {
    at: iso(atMs),
    expected,
    received,
    ...(late > 0 && { late }),
    ...(pending > 0 && { pending }),
    ...(Object.keys(reasons).length > 0 && { missing: reasons }),
    ...(newest && {
      worst: statusOfCode(newest.worst),
      resultId: resultIdOf({ ...key, slotMs: newest.worstSlotMs }),
    }),
  };
}

function totalOf(cells: readonly Tally[]) {
  const missing: Tally["missing"] = {};
  for (const cell of cells)
    for (const [reason, count] of Object.entries(cell.missing) as [ExplainedSlot["reason"], number][])
      missing[reason] = (missing[reason] ?? 0) + count;
  const sum = (of: "expected" | "received" | "late") => cells.reduce((total, cell) => total + cell[of], 0);
  const [expected, received, late] = [sum("expected"), sum("received"), sum("late")];
  return { expected, received, late, missing: withRest(missing, expected - received) };
}

/** Adds the missing slots that nobody explained. */
function withRest(missing: Tally["missing"], count: number): NonNullable<SlotCell["missing"]> {
  const explained = Object.values(missing).reduce((total, one) => total + one, 0);
  return count > explained ? { ...missing, not_explained: count - explained } : missing;
}
