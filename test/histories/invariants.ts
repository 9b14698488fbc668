/** What must hold after every history, whatever went wrong in it. Each check returns a line for each violation. */
import { type MissingReason, STATUS_CODES } from "@svc/contract";
import { publicResultId } from "../../control-plane/src/alerting/inputs/judged-result.ts";
import { GRACE_MS, LEASE_MS } from "../../control-plane/src/fleet/timing.ts";
import { expectedSlots } from "../../control-plane/src/results/coverage/expected-slots.ts";
import { missingReason } from "../../control-plane/src/results/coverage/missing-reason.ts";
import { sequentialInstances } from "./alert-model.ts";
import { missedCatchUp } from "./catch-up-invariant.ts";
import { notificationViolations } from "./notification-invariants.ts";
import { CALM_MS, HISTORY_MS, REST_MS, TROUBLED_MS } from "./plan.ts";
import { EPOCH_MS } from "./scheduler.ts";
import { circumstancesIn, slotName } from "./tables.ts";
import { windowViolations } from "./window-invariants.ts";
import type { World } from "./world.ts";

/** Longest run of a probe, ms. */
const RUN_MS_MAX = 12_000;
/** Time after the last trouble from which on everything must be as if there had been none, ms. */
const RECOVERED_AFTER_MS = 55_000;
/** Latest begin of a run after it was due, in quiet times, ms. */
const LATENESS_MS_MAX = 1_000;
/** Time in which, in quiet times, runners hear of a schedule that has just begun, ms. */
const RESUMED_WITHIN_MS = 3_000;
/** Time after a slot by which its result must be stored, in quiet times, ms: its stagger, its run and its way. */
const DELIVERED_AFTER_MS = 45_000;
/** Time by which a run seems longer than its target takes: timers, and a clock that is being corrected, ms. */
const TIMER_MS = 500;
/** Latest begin of a run that a user asked for, in quiet times, ms: the wake-up may have got lost. */
const TRIGGERED_WITHIN_MS = 2_000;
/** Least part of a slot's grace for which we were away, where that is why it is missing, ms. */
const AWAY_MS_MIN = GRACE_MS - 12_000;
const END_MS = EPOCH_MS + HISTORY_MS;
/** Instant from which on nothing of the troubles is left. */
const QUIET_FROM_MS = EPOCH_MS + CALM_MS + TROUBLED_MS + RECOVERED_AFTER_MS;

interface ExpectedSlot {
  checkKey: number;
  locationKey: number;
  slotMs: number;
  dueMs: number;
}

/** Returns the violations of all invariants. */
export function findViolations(world: World): string[] {
  const slots = expectedOf(world);
  return [
    ...world.record.violations,
    ...missingWithoutReason(world, slots),
    ...lostResults(world),
    ...untrueResults(world),
    ...notRunOnce(world, slots),
    ...notTriggeredOnce(world),
    ...untrueAlerts(world),
    ...notificationViolations(world),
    ...windowViolations(world),
  ];
}

/** Returns the number of due slots without a result. */
export function countMissing(world: World): number {
  return expectedOf(world).filter((slot) => !world.tables.results.has(slotName(slot))).length;
}

/** Returns the slots that were due in the history, as coverage computes them. */
function expectedOf({ tables }: World): ExpectedSlot[] {
  const toMs = END_MS - GRACE_MS - RUN_MS_MAX;
  return [...tables.checks.values()].flatMap((check) =>
    expectedSlots(check.id, check.revisions, { fromMs: EPOCH_MS, toMs }).flatMap((span) => {
      const slots: ExpectedSlot[] = [];
      for (let slotMs = span.firstSlotMs; slotMs <= span.lastSlotMs; slotMs += span.periodMs) {
        const { locationKey, staggerMs } = span;
        slots.push({ checkKey: check.key, locationKey, slotMs, dueMs: slotMs + staggerMs });
      }
      return slots;
    }),
  );
}

/** Every due slot has a result, or is missing for a reason that is true. */
function missingWithoutReason(world: World, slots: readonly ExpectedSlot[]): string[] {
  const { tables } = world;
  return slots.flatMap((slot) => {
    if (tables.results.has(slotName(slot))) return [];
    const reason = reasonOf(world, slot);
    const objection = objectionTo(world, slot, reason);
    return objection === undefined
      ? []
      : [`slot ${slotName(slot)}, due at ${at(slot.dueMs)}, is missing as ${reason}: ${objection}`];
  });
}

/** Returns the reason that the service shows. */
function reasonOf({ tables }: World, slot: ExpectedSlot): MissingReason {
  return missingReason(
    { ...slot, recordedReason: tables.missedSlots.get(slotName(slot)) ?? null },
    {
      ...circumstancesIn(tables, slot.locationKey),
      needs: { type: "http", usesVault: false },
      runMsMax: RUN_MS_MAX,
      nowMs: END_MS,
    },
  );
}

/** Returns why the reason is not true; undefined when it is. */
function objectionTo(world: World, slot: ExpectedSlot, reason: MissingReason): string | undefined {
  const { record } = world;
  const { locationKey, dueMs } = slot;
  const lastMs = dueMs + GRACE_MS + RUN_MS_MAX;
  const wasGivenBackFor = (fault: string) =>
    record.givenBack.some((one) => slotName(one) === slotName(slot) && one.reason === fault);
  switch (reason) {
    case "runner_network":
      return wasGivenBackFor("network") ? undefined : "no runner's network failed";
    case "previous_run":
      if (!wasGivenBackFor("previous_run")) return "no runner had an open run";
      return wasOverrun(world, slot)
        ? undefined
        : "no run before it took as long as from its slot to this one";
    case "runner_capacity": {
      const wasHeld = record.holds.some(
        (hold) => hold.locationKey === locationKey && hold.fromMs <= lastMs && hold.toMs >= dueMs,
      );
      if (!wasGivenBackFor("capacity")) return "no runner lacked capacity";
      return wasHeld ? undefined : "every runner had the capacity";
    }
    case "no_runner": {
      if (wasGivenBackFor("draining")) return undefined;
      const wasThere = record.sessions.some(
        (one) =>
          one.locationKey === locationKey && one.fromMs <= dueMs - LEASE_MS && one.toMs >= dueMs + LEASE_MS,
      );
      return wasThere ? "a runner was connected all the time" : undefined;
    }
    case "runner_lost": {
      const wasDisturbed = record.disturbances.some(
        (one) => one.locationKey === locationKey && one.atMs >= dueMs - LEASE_MS && one.atMs <= lastMs,
      );
      if (!wasDisturbed) return "no session of the location ended or began";
      const witness = missedCatchUp(world, slot);
      return witness && `${witness} was there all the time, and did not run it`;
    }
    case "service_unavailable":
      return awayMsIn(world, { fromMs: dueMs, toMs: dueMs + GRACE_MS }) >= AWAY_MS_MIN
        ? undefined
        : "the database was there, and the replicas went on";
    default:
      return "that is no reason";
  }
}

/** Returns for how long of the time the database was away or a replica was held, ms. */
function awayMsIn({ database, record }: World, { fromMs, toMs }: { fromMs: number; toMs: number }): number {
  return [...database.outages, ...record.replicaHolds].reduce(
    (sum, away) => sum + Math.max(0, Math.min(toMs, away.toMs) - Math.max(fromMs, away.fromMs)),
    0,
  );
}

/** True when a run before the slot took longer than the time between the two, by its target or by a runner that was held. */
function wasOverrun({ record }: World, slot: ExpectedSlot): boolean {
  const before = record.runs.filter(
    (run) =>
      run.checkKey === slot.checkKey && run.locationKey === slot.locationKey && run.slotMs < slot.slotMs,
  );
  return before.some(({ slotMs, beganAtMs, answerMs }) => {
    const heldMs = record.holds
      .filter((hold) => hold.locationKey === slot.locationKey && hold.toMs >= beganAtMs)
      .reduce((sum, { fromMs, toMs }) => sum + Math.max(0, toMs - Math.max(fromMs, beganAtMs)), 0);
    return answerMs + heldMs + TIMER_MS >= slot.slotMs - slotMs;
  });
}

/** Nothing durable is lost: each result reaches the service from the disk that held it, whatever became of its process. */
function lostResults({ record }: World): string[] {
  const lost = [...record.durable].filter(
    ([name, { slotMs }]) => slotMs < END_MS - DELIVERED_AFTER_MS && !record.acknowledged.has(name),
  );
  return [
    ...lost.map(([name]) => `result ${name} was durable and has not arrived`),
    ...record.rejected.map((one) => `result ${slotName(one)} was refused: ${one.reason}`),
  ];
}

/** Every stored result says what a run of its slot saw. */
function untrueResults({ tables, record }: World): string[] {
  const seen = new Set(record.runs.map((run) => `${slotName(run)} ${run.wasDown}`));
  return [...tables.results.values()]
    .filter((row) => !seen.has(`${slotName(row)} ${row.status !== STATUS_CODES.success}`))
    .map((row) => `result ${slotName(row)} has status ${row.status}, which no run saw`);
}

/** In quiet times each slot is run once, in time, by one runner. */
function notRunOnce({ record, tables }: World, slots: readonly ExpectedSlot[]): string[] {
  if (END_MS - QUIET_FROM_MS >= REST_MS) throw new Error("there is no quiet time");
  return slots
    .filter(({ dueMs }) => dueMs >= QUIET_FROM_MS)
    .flatMap((slot) => {
      const name = slotName(slot);
      const runs = record.runs.filter((run) => slotName(run) === name);
      const wasOverrun = record.givenBack.some(
        (one) => slotName(one) === name && one.reason === "previous_run",
      );
      const [first] = runs;
      if (wasOverrun && runs.length === 0) return [];
      if (runs.length !== 1)
        return [`slot ${name} was run ${runs.length} times in quiet: ${runs.map(({ agent }) => agent)}`];
      // Runners hear of a check that was just resumed only now.
      const { revisions = [] } = tables.checks.get(slot.checkKey) ?? {};
      const isNew = revisions.some(
        ({ effectiveFromMs }) =>
          effectiveFromMs <= slot.dueMs && effectiveFromMs > slot.dueMs - RESUMED_WITHIN_MS,
      );
      const latenessMs = (first?.beganAtMs ?? 0) - slot.dueMs - (isNew ? RESUMED_WITHIN_MS : 0);
      return latenessMs <= LATENESS_MS_MAX && latenessMs >= -LATENESS_MS_MAX - (isNew ? RESUMED_WITHIN_MS : 0)
        ? []
        : [`slot ${name} was run ${Math.round(latenessMs)} ms after it was due, in quiet`];
    });
}

/** In quiet times a run that a user asks for is run once in each location, as soon as none is open, and its result is stored. */
function notTriggeredOnce({ record, tables }: World): string[] {
  const slots = tables.manualRuns
    .filter(({ slotMs }) => slotMs >= QUIET_FROM_MS && slotMs < END_MS - DELIVERED_AFTER_MS)
    .flatMap(({ locationKeys, ...run }) => locationKeys.map((locationKey) => ({ ...run, locationKey })));
  return slots.flatMap((slot) => {
    const name = slotName(slot);
    const runs = record.runs.filter((run) => slotName(run) === name);
    if (runs.length !== 1) return [`triggered slot ${name} was run ${runs.length} times in quiet`];
    // An agent has one triggered run of a check location open at a time.
    const freeAtMs = record.runs
      .filter(({ checkKey, locationKey, slotMs }) => {
        const isTriggered = tables.manualRuns.some(
          (one) => one.checkKey === checkKey && one.slotMs === slotMs,
        );
        return (
          isTriggered &&
          checkKey === slot.checkKey &&
          locationKey === slot.locationKey &&
          slotMs < slot.slotMs
        );
      })
      .reduce((maxMs, { beganAtMs, answerMs }) => Math.max(maxMs, beganAtMs + answerMs), slot.slotMs);
    const latenessMs = (runs[0]?.beganAtMs ?? 0) - freeAtMs;
    if (latenessMs > TRIGGERED_WITHIN_MS)
      return [`triggered slot ${name} was run ${Math.round(latenessMs)} ms late, in quiet`];
    return tables.results.has(name) ? [] : [`triggered slot ${name} has no result`];
  });
}

/** Alert instances are those of the sequential model, and each began with a target that failed. */
function untrueAlerts({ tables, record }: World): string[] {
  const found = [...tables.instances.values()].map(({ ruleKey, triggeringResultId, recoveryResultId }) =>
    JSON.stringify([ruleKey, triggeringResultId, recoveryResultId]),
  );
  const expected = sequentialInstances(tables).map(({ ruleKey, triggeringResultId, recoveryResultId }) =>
    JSON.stringify([ruleKey, triggeringResultId, recoveryResultId]),
  );
  const failed = new Set(
    record.runs.filter(({ wasDown }) => wasDown).map((run) => publicResultId(run.checkKey, run) as string),
  );
  return [
    ...found.filter((one) => !expected.includes(one)).map((one) => `alert ${one} is not in the model`),
    ...expected.filter((one) => !found.includes(one)).map((one) => `alert ${one} is in the model only`),
    ...[...tables.instances.values()]
      .filter(({ triggeringResultId }) => !failed.has(triggeringResultId ?? ""))
      .map(({ triggeringResultId }) => `an alert began with ${triggeringResultId}, whose target was well`),
  ];
}

function at(ms: number): string {
  return ((ms - EPOCH_MS) / 1_000).toFixed(3);
}
