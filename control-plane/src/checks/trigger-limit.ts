/**
 * Limits the runs that are triggered by hand. More triggers than a person or a pipeline needs would crowd out the
 * schedules of all checks on the same agents. The dispatches themselves are counted, so that all replicas count alike.
 */
import { DomainError, MINUTE_MS, TRIGGER_LIMITS } from "@svc/contract";

/**
 * Triggers of one check within its window, and runs of one team within its own: a triggered check counts once per
 * location.
 */
const { checkTriggersMax: CHECK_TRIGGERS_MAX, teamRunsMax: TEAM_RUNS_MAX } = TRIGGER_LIMITS;
const CHECK_WINDOW_MS = 10_000;
/** Age from which a dispatch limits nothing, ms. */
export const TEAM_WINDOW_MS = MINUTE_MS;

/** A trigger that was accepted. */
export interface RecentTrigger {
  checkKey: number;
  slotMs: number;
  /** Number of locations. */
  runs: number;
}

/**
 * Passes when the check may be triggered now. A team that triggered nothing within the window may trigger any check,
 * however many locations it has.
 * @param recent the team's triggers within TEAM_WINDOW_MS
 * @throws DomainError rate_limited, with the time after which it may be triggered
 */
export function assertMayTrigger(
  recent: readonly RecentTrigger[],
  check: { key: number; runs: number },
  nowMs: number,
): void {
  const ofCheck = recent.filter(
    ({ checkKey, slotMs }) => checkKey === check.key && slotMs > nowMs - CHECK_WINDOW_MS,
  );
  const checkFreeAtMs = freeAtMs(ofCheck, {
    weightOf: () => 1,
    weightMax: CHECK_TRIGGERS_MAX - 1,
    windowMs: CHECK_WINDOW_MS,
  });
  if (checkFreeAtMs > nowMs)
    throw limited(`a check can be triggered ${CHECK_TRIGGERS_MAX} times in 10 s`, checkFreeAtMs - nowMs);
  const teamFreeAtMs = freeAtMs(recent, {
    weightOf: ({ runs }) => runs,
    weightMax: Math.max(0, TEAM_RUNS_MAX - check.runs),
    windowMs: TEAM_WINDOW_MS,
  });
  if (teamFreeAtMs > nowMs)
    throw limited(
      `a team can trigger ${TEAM_RUNS_MAX} runs a minute, one per triggered check and location`,
      teamFreeAtMs - nowMs,
    );
}

interface TriggerLimit {
  weightOf: (trigger: RecentTrigger) => number;
  weightMax: number;
  windowMs: number;
}

/** Returns the Unix ms from which the triggers still in the window weigh no more than `weightMax`; 0: they already do. */
function freeAtMs(
  triggers: readonly RecentTrigger[],
  { weightOf, weightMax, windowMs }: TriggerLimit,
): number {
  let weight = 0;
  for (const trigger of triggers.toSorted((a, b) => b.slotMs - a.slotMs)) {
    weight += weightOf(trigger);
    if (weight > weightMax) return trigger.slotMs + windowMs;
  }
  return 0;
}

function limited(rule: string, waitMs: number): DomainError {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  return new DomainError("rate_limited", `Too many triggers: ${rule}; try again in ${retryAfterSeconds} s`, {
    retryAfterSeconds,
  });
}
