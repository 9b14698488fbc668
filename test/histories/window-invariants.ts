/** What must hold of maintenance windows in every history: what they keep quiet, and what is said once they are over. */
import { CALM_MS, HISTORY_MS, TROUBLED_MS } from "./plan.ts";
import type { RunRecord } from "./record.ts";
import { EPOCH_MS } from "./scheduler.ts";
import type { InstanceRecord } from "./tables.ts";
import { holds } from "./windows-in-force.ts";
import type { World } from "./world.ts";

/** Time in which a change of a window takes effect, ms. */
const EFFECT_MS = 1_000;
/** Time in which, in quiet times, a mute or a pause that is over has ended, ms: the interval of its job, and a slow commit. */
const ENDED_WITHIN_MS = 8_000;
/** Instant from which on nothing of the troubles is left, and that of the history's end, Unix ms. */
const QUIET_FROM_MS = EPOCH_MS + CALM_MS + TROUBLED_MS + 55_000;
const END_MS = EPOCH_MS + HISTORY_MS;
/** Distance of the instants at which the holding of windows is looked at, ms. */
const STEP_MS = 250;

type Mode = "pause" | "continue";

/** Returns the violations. */
export function windowViolations(world: World): string[] {
  return [...announcedInWindow(world), ...keptBack(world), ...runsInPause(world), ...pausedWrongly(world)];
}

/** True when a window held for the check at that instant of true time, as far as windows were committed by then. */
function isHeld({ record }: World, checkKey: number, { atMs, mode }: { atMs: number; mode?: Mode }): boolean {
  const newest = new Map(
    record.windows.filter((one) => one.committedAtMs <= atMs).map((one) => [one.window.key, one.window]),
  );
  return [...newest.values()].some(
    (window) => (mode === undefined || window.mode === mode) && holds(window, checkKey, atMs),
  );
}

interface Span {
  fromMs: number;
  toMs: number;
  mode?: Mode;
}

function stepsOf({ fromMs, toMs }: Span): number[] {
  const steps = Math.max(1, Math.ceil((toMs - fromMs) / STEP_MS));
  return Array.from({ length: steps + 1 }, (_, i) => fromMs + ((toMs - fromMs) * i) / steps);
}

function wasHeldAllAlong(world: World, checkKey: number, span: Span): boolean {
  return stepsOf(span).every((atMs) => isHeld(world, checkKey, { ...span, atMs }));
}

function wasHeldOnce(world: World, checkKey: number, span: Span): boolean {
  return stepsOf(span).some((atMs) => isHeld(world, checkKey, { ...span, atMs }));
}

/** Nobody is notified of an alert's begin while a window holds for its check. */
function announcedInWindow(world: World): string[] {
  const { tables } = world;
  return tables.outbox.flatMap(({ id, kind, subjectId, payload }) => {
    const checkKey = tables.instances.get(subjectId)?.checkKey ?? 0;
    const atMs = Date.parse(payload.occurredAt);
    const span = { fromMs: atMs - EFFECT_MS, toMs: atMs + EFFECT_MS };
    return kind === "triggered" && wasHeldAllAlong(world, checkKey, span)
      ? [`notification ${id} of an alert of check ${checkKey} was written inside a window`]
      : [];
  });
}

/** An alert is kept back by a window only, and announced once that is over, if the alert lasts. */
function keptBack(world: World): string[] {
  return [...world.tables.instances.values()].flatMap((instance) => {
    if (instance.wasAnnounced) return [];
    const name = `alert ${instance.triggeringResultId} of check ${instance.checkKey}`;
    const { startedAtMs, checkKey } = instance;
    const begin = { fromMs: startedAtMs - EFFECT_MS, toMs: startedAtMs + EFFECT_MS };
    if (!wasHeldOnce(world, checkKey, begin)) return [`${name} was kept back, and no window held`];
    return wasFreeInQuiet(world, instance) ? [`${name} is kept back, though its window is over`] : [];
  });
}

/** True when, in quiet times, no window held for longer than it may take to announce the alert, while that lasted. */
function wasFreeInQuiet(
  world: World,
  {
    checkKey,
    startedAtMs,
    recoveredAtMs,
  }: Pick<InstanceRecord, "checkKey" | "startedAtMs" | "recoveredAtMs">,
): boolean {
  const untilMs = Math.min(END_MS, recoveredAtMs ?? END_MS);
  const firstMs = Math.max(QUIET_FROM_MS, startedAtMs);
  for (let fromMs = firstMs; fromMs + ENDED_WITHIN_MS <= untilMs; fromMs += STEP_MS)
    if (!wasHeldOnce(world, checkKey, { fromMs, toMs: fromMs + ENDED_WITHIN_MS })) return true;
  return false;
}

/** In quiet times no slot of the grid is run, or awaited, while a window in pause mode holds. */
function runsInPause(world: World): string[] {
  const { record, tables } = world;
  const isOfGrid = ({ checkKey, slotMs }: RunRecord) =>
    !tables.manualRuns.some((one) => one.checkKey === checkKey && one.slotMs === slotMs);
  const isPausedAt = (checkKey: number, atMs: number) =>
    atMs - ENDED_WITHIN_MS >= QUIET_FROM_MS &&
    wasHeldAllAlong(world, checkKey, {
      fromMs: atMs - ENDED_WITHIN_MS,
      toMs: atMs + EFFECT_MS,
      mode: "pause",
    });
  const runs = record.runs
    .filter((run) => isOfGrid(run) && isPausedAt(run.checkKey, run.beganAtMs))
    .map(
      ({ agent, checkKey, slotMs }) => `${agent} ran slot ${slotMs} of check ${checkKey}, which is paused`,
    );
  const awaited = [...tables.checks.values()].flatMap(({ key, revisions }) =>
    revisions
      .filter(({ enabled, effectiveFromMs, effectiveUntilMs }) => {
        const toMs = Math.min(END_MS - EFFECT_MS, effectiveUntilMs ?? END_MS);
        const steps = stepsOf({ fromMs: Math.max(effectiveFromMs, QUIET_FROM_MS), toMs });
        return enabled && toMs > effectiveFromMs && steps.some((atMs) => isPausedAt(key, atMs));
      })
      .map(({ revision }) => `check ${key} awaits slots while it is paused, by revision ${revision}`),
  );
  return [...runs, ...awaited];
}

/** At the end a check is paused if a window in pause mode holds for it, and only then. */
function pausedWrongly(world: World): string[] {
  const span: Span = { fromMs: END_MS - ENDED_WITHIN_MS, toMs: END_MS, mode: "pause" };
  return [...world.record.pausedAtEnd].flatMap(([key, paused]) => {
    if (paused && !wasHeldOnce(world, key, span)) return [`check ${key} is paused, and no window holds`];
    return !paused && wasHeldAllAlong(world, key, span) ? [`check ${key} is not paused by its window`] : [];
  });
}
