/**
 * Counts the slots of all checks of a team over the last day, by the functions of coverage: which were due follows from schedules
 * alone; where fewer results are stored than were due, slots are missing, and their reasons are recorded or follow from the
 * runners that were there.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { DAY_MS, groupBy, MISSING_REASONS, type Overview, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { GRACE_MS } from "../fleet/timing.ts";
import type { Services } from "../platform/services.ts";
import { readCircumstances } from "../results/coverage/circumstances-store.ts";
import {
  dispatchedSlots,
  expectedSlots,
  type SlotSpan,
  slotCount,
} from "../results/coverage/expected-slots.ts";
import { longestRunMs } from "../results/coverage/longest-run.ts";
import { mayStillRun, missingReason } from "../results/coverage/missing-reason.ts";
import type { TimeRange } from "../results/coverage/time-range.ts";
import { readSnapshot } from "../results/read-snapshot.ts";
import { presencesByHour } from "../results/slots/explain-missing.ts";
import {
  type CountedSpan,
  countRecordedReasons,
  readDispatchedRunsOfChecks,
  readRolledUpUntil,
  readScheduledChecks,
  readSchedulesOfChecks,
  readShortfalls,
  readUnrecorded,
  type ScheduledCheck,
} from "./team-slots-store.ts";
import { type WholeBuckets, wholeBuckets } from "./whole-buckets.ts";

/** Checks that are counted by one set of statements, and in one turn of the event loop. */
const CHECKS_AT_ONCE = 1_000;
/** Slots without a recorded reason that are looked at, and explained, for one answer. */
const LOOKED_AT_MAX = 200_000;
const EXPLAINED_MAX = 20_000;
const EXPLAINED_AT_ONCE = 1_000;

type Reason = NonNullable<Overview["slots"]>["missing"][number]["reason"];

/** Counts of a team's slots; the locations by their keys. */
export interface TeamSlots extends TimeRange {
  locations: Map<number, { expected: number; received: number }>;
  missing: Map<Reason, Map<number, number>>;
}

/** Counts the slots of the team's checks that were due in the last 24 h, and that are old enough to have a result. */
export async function countTeamSlots(
  { knex, clock }: Pick<Services, "knex" | "clock">,
  teamId: TeamId,
): Promise<TeamSlots> {
  const nowMs = clock.nowMs();
  const range = { fromMs: nowMs - DAY_MS, toMs: nowMs - GRACE_MS };
  const counted: TeamSlots = { ...range, locations: new Map(), missing: new Map() };
  // One snapshot, so that the slots counted as missing are those that are explained.
  await readSnapshot(knex, async (trx) => {
    const rolledUpUntilMs = await readRolledUpUntil(trx);
    for (let afterKey = 0; ; ) {
      const checks = await readScheduledChecks(trx, teamId, { afterKey, limit: CHECKS_AT_ONCE });
      const spans = await readSpans(trx, checks, { ...range, rolledUpUntilMs });
      await addCounts(trx, counted, { checks, spans, nowMs });
      const last = checks.at(-1);
      if (checks.length < CHECKS_AT_ONCE || !last) break;
      afterKey = last.key;
      await nextTurn();
    }
  });
  return counted;
}

async function readSpans(
  trx: Knex,
  checks: readonly ScheduledCheck[],
  { rolledUpUntilMs, ...range }: TimeRange & { rolledUpUntilMs: number },
): Promise<CountedSpan[]> {
  if (checks.length === 0) return [];
  const keys = checks.map(({ key }) => key);
  const schedules = groupBy(await readSchedulesOfChecks(trx, keys, range), ({ checkKey }) => checkKey);
  const runs = groupBy(await readDispatchedRunsOfChecks(trx, keys, range), ({ checkKey }) => checkKey);
  return checks.flatMap(({ key, id }) => {
    const regular = expectedSlots(id, schedules.get(key) ?? [], range);
    const buckets = wholeBuckets(regular, rolledUpUntilMs);
    const counted = regular.map(
      (span, i): CountedSpan => ({
        ...span,
        ...(buckets[i] as WholeBuckets),
        checkKey: key,
        expected: slotCount(span),
      }),
    );
    for (const single of dispatchedSlots(runs.get(key) ?? [], regular)) {
      const around = counted.find((span) => countsByBucket(span, single));
      if (around) around.expected++;
      // A run that its bucket counts is still a slot of its own where missing ones are listed.
      const noBuckets = { firstBucketMs: single.firstSlotMs, endBucketMs: single.firstSlotMs };
      counted.push({ ...single, ...noBuckets, checkKey: key, expected: around ? 0 : 1 });
    }
    return counted;
  });
}

function countsByBucket({ locationKey, firstBucketMs, endBucketMs }: CountedSpan, single: SlotSpan): boolean {
  return (
    locationKey === single.locationKey &&
    single.firstSlotMs >= firstBucketMs &&
    single.firstSlotMs < endBucketMs
  );
}

interface Part {
  checks: readonly ScheduledCheck[];
  spans: readonly CountedSpan[];
  nowMs: number;
}

const keyOf = ({ checkKey, locationKey }: { checkKey: number; locationKey: number }) =>
  `${checkKey} ${locationKey}`;

async function addCounts(trx: Knex, counted: TeamSlots, { checks, spans, nowMs }: Part): Promise<void> {
  const counting = spans.filter((span) => span.expected > 0);
  const shortfalls = await readShortfalls(trx, counting);
  for (const { locationKey, expected } of spans)
    addDue(counted, locationKey, { expected, received: expected });
  for (const { locationKey, missing } of shortfalls)
    addDue(counted, locationKey, { expected: 0, received: -missing });
  if (shortfalls.length === 0) return;
  const rest = new Map(shortfalls.map((one) => [keyOf(one), one.missing]));
  const add = (one: { checkKey: number; locationKey: number }, reason: Reason, count: number) => {
    const added = Math.min(count, rest.get(keyOf(one)) ?? 0);
    rest.set(keyOf(one), (rest.get(keyOf(one)) ?? 0) - added);
    if (added > 0) addMissing(counted, { reason, locationKey: one.locationKey, count: added });
  };
  const incomplete = spans.filter((span) => rest.has(keyOf(span)));
  for (const one of await countRecordedReasons(trx, incomplete))
    add(one, MISSING_REASONS.find((reason) => reason === one.reason) ?? "unknown", one.missing);
  const unrecorded = incomplete.filter((span) => (rest.get(keyOf(span)) ?? 0) > 0);
  const explained = await explainUnrecorded(trx, checks, { spans: upTo(unrecorded, LOOKED_AT_MAX), nowMs });
  for (const { reason, ...slot } of explained) {
    // A slot that may still get its result is not due yet.
    if (reason === undefined)
      addDue(counted, slot.locationKey, { expected: -subtractOne(rest, keyOf(slot)), received: 0 });
    else add(slot, reason, 1);
  }
  for (const one of shortfalls) add(one, "not_explained", rest.get(keyOf(one)) ?? 0);
}

function subtractOne(rest: Map<string, number>, key: string): number {
  const left = rest.get(key) ?? 0;
  if (left > 0) rest.set(key, left - 1);
  return Math.min(left, 1);
}

function addDue(
  { locations }: TeamSlots,
  locationKey: number,
  added: { expected: number; received: number },
): void {
  const counts = locations.get(locationKey) ?? { expected: 0, received: 0 };
  counts.expected += added.expected;
  counts.received += added.received;
  locations.set(locationKey, counts);
}

function addMissing(
  { missing }: TeamSlots,
  { reason, locationKey, count }: { reason: Reason; locationKey: number; count: number },
): void {
  const byLocation = missing.get(reason) ?? new Map<number, number>();
  byLocation.set(locationKey, (byLocation.get(locationKey) ?? 0) + count);
  missing.set(reason, byLocation);
}

/** Returns the first spans that hold at most `slotsMax` slots together; at least one. */
function upTo(spans: readonly CountedSpan[], slotsMax: number): CountedSpan[] {
  let slots = 0;
  return spans.filter((span, i) => {
    slots += slotCount(span);
    return i === 0 || slots <= slotsMax;
  });
}

/** Reads missing slots without a recorded reason, with the reason that follows; undefined: it may still get its result. */
async function explainUnrecorded(
  trx: Knex,
  checks: readonly ScheduledCheck[],
  { spans, nowMs }: { spans: readonly CountedSpan[]; nowMs: number },
): Promise<{ checkKey: number; locationKey: number; reason: Reason | undefined }[]> {
  if (spans.length === 0) return [];
  const missing = await readUnrecorded(trx, spans, EXPLAINED_MAX);
  if (missing.length === 0) return [];
  const fromMs = missing.reduce((min, { dueMs }) => Math.min(min, dueMs), nowMs);
  const locationKeys = [...new Set(missing.map(({ locationKey }) => locationKey))];
  const { presences, outages } = await readCircumstances(trx, locationKeys, { fromMs, toMs: nowMs });
  const presencesAt = presencesByHour(presences, { fromMs, nowMs });
  const byKey = new Map(checks.map((check) => [check.key, check]));
  const explained: { checkKey: number; locationKey: number; reason: Reason | undefined }[] = [];
  for (const slot of missing) {
    const check = byKey.get(slot.checkKey);
    if (!check) continue;
    const runMsMax = longestRunMs(check);
    const input = {
      needs: check,
      presences: presencesAt(slot, slot.dueMs + GRACE_MS + runMsMax),
      outages,
      runMsMax,
      nowMs,
    };
    const { checkKey, locationKey } = slot;
    explained.push({
      checkKey,
      locationKey,
      reason: mayStillRun(slot, input) ? undefined : missingReason(slot, input),
    });
    if (explained.length % EXPLAINED_AT_ONCE === 0) await nextTurn();
  }
  return explained;
}
