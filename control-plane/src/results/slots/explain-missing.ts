/** Finds the reasons of many missing slots without holding the event loop. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { HOUR_MS, type MissingReason } from "@svc/contract";
import type { Knex } from "knex";
import type { CheckModel } from "../../checks/row.ts";
import { GRACE_MS, LEASE_MS } from "../../fleet/timing.ts";
import { type Circumstances, readCircumstances } from "../coverage/circumstances-store.ts";
import type { SlotSpan } from "../coverage/expected-slots.ts";
import { longestRunMs } from "../coverage/longest-run.ts";
import { type MissingSlot, mayStillRun, missingReason, type Presence } from "../coverage/missing-reason.ts";
import { readMissing } from "../coverage/store.ts";
import type { TimeRange } from "../coverage/time-range.ts";
import { hourOf } from "../rollups/buckets.ts";

/** Missing slots that are explained for one answer: the newest of each span. */
const EXPLAINED_MAX = 20_000;
/** Slots that are explained in one turn of the event loop. */
const SLOTS_AT_ONCE = 1_000;

/** A missing slot with its reason. */
export interface ExplainedSlot extends Pick<MissingSlot, "locationKey" | "slotMs" | "dueMs"> {
  reason: MissingReason;
  /** True when it may still get its result. */
  isOpen: boolean;
}

/** Reads the newest missing slots of the spans, and why they are missing. */
export async function explainSlots(
  trx: Knex,
  check: CheckModel,
  { spans, nowMs }: { spans: readonly SlotSpan[]; nowMs: number },
): Promise<ExplainedSlot[]> {
  if (spans.length === 0) return [];
  const limit = Math.max(1, Math.floor(EXPLAINED_MAX / spans.length));
  const missing = await readMissing(trx, check.key, { spans, limit });
  if (missing.length === 0) return [];
  const fromMs = missing.reduce((min, { dueMs }) => Math.min(min, dueMs), nowMs);
  const locationKeys = [...new Set(missing.map(({ locationKey }) => locationKey))];
  const around = await readAround(trx, locationKeys, { fromMs, toMs: nowMs });
  return explainEach({ ...check, usesVault: check.vaultNames.length > 0 }, missing, { ...around, nowMs });
}

/** Runners that could run slots, and the times at which the service itself was away. */
interface Around extends Pick<Circumstances, "outages"> {
  presencesAt: ReturnType<typeof presencesByHour>;
}

/** Reads what explains missing slots of any check at the locations that were due in the range, in which their runs ended, too. */
export async function readAround(
  trx: Knex,
  locationKeys: readonly number[],
  range: TimeRange,
): Promise<Around> {
  const { presences, outages } = await readCircumstances(trx, locationKeys, range);
  return { outages, presencesAt: presencesByHour(presences, { fromMs: range.fromMs, nowMs: range.toMs }) };
}

/** The properties of a check that decide why its slots are missing. */
type ExplainedCheck = Pick<CheckModel, "type" | "config" | "retry"> & { usesVault: boolean };

/** Returns missing slots of a check with their reasons, without holding the event loop. */
export async function explainEach(
  check: ExplainedCheck,
  missing: readonly MissingSlot[],
  { presencesAt, outages, nowMs }: Around & { nowMs: number },
): Promise<ExplainedSlot[]> {
  const runMsMax = longestRunMs(check);
  const needs = { type: check.type, usesVault: check.usesVault };
  const explained: ExplainedSlot[] = [];
  for (const slot of missing) {
    const presences = presencesAt(slot, slot.dueMs + GRACE_MS + runMsMax);
    const input = { needs, presences, outages, runMsMax, nowMs };
    const { locationKey, slotMs, dueMs } = slot;
    // Named one by one: spreading a row of the database costs more than finding its reason.
    explained.push({
      locationKey,
      slotMs,
      dueMs,
      reason: missingReason(slot, input),
      isOpen: mayStillRun(slot, input),
    });
    if (explained.length % SLOTS_AT_ONCE === 0) await nextTurn();
  }
  return explained;
}

/** Returns a function that tells the presences that may touch the time from a lease before a slot's due instant to an end. */
export function presencesByHour(
  presences: readonly Presence[],
  { fromMs, nowMs }: { fromMs: number; nowMs: number },
) {
  const hours = new Map<string, Presence[]>();
  for (const presence of presences) {
    const firstMs = Math.max(presence.fromMs, fromMs - LEASE_MS);
    const lastMs = Math.min(presence.untilMs, nowMs);
    for (let hourMs = hourOf(firstMs); hourMs <= lastMs; hourMs += HOUR_MS) {
      const key = `${presence.locationKey}:${hourMs}`;
      const known = hours.get(key);
      if (known) known.push(presence);
      else hours.set(key, [presence]);
    }
  }
  return ({ locationKey, dueMs }: MissingSlot, endMs: number): Presence[] => {
    const found: Presence[] = [];
    for (let hourMs = hourOf(dueMs - LEASE_MS); hourMs <= endMs; hourMs += HOUR_MS)
      found.push(...(hours.get(`${locationKey}:${hourMs}`) ?? []));
    return found;
  };
}
