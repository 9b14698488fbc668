import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type AlertPreview,
  type CheckId,
  DAY_MS,
  HOUR_MS,
  notFound,
  PREVIEWED_FIRINGS_MAX,
  type PreviewAlertRule,
  pushedTraitsOf,
} from "@svc/contract";
import { findCheckRow } from "../../checks/store.ts";
import { monotonicMs } from "../../platform/clock.ts";
import { TeamSeats } from "../../platform/http/team-seats.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { ruleOf } from "../conditions/registry.ts";
import { readChecksToJudge } from "../evaluation/check-store.ts";
import { assertConditionsFit } from "../rules/assert-conditions-fit.ts";
import { assertSlosExist } from "../rules/assert-slos-exist.ts";
import { type HistoryPart, readHistoryPart } from "./history-store.ts";
import { type Firing, RuleReplay } from "./rule-replay.ts";

/** Results that are read at once. */
const ROWS_AT_ONCE = 5_000;
/** Results that are judged before the time is looked at, and the time after which others have their turn. */
const JUDGED_AT_ONCE = 50;
const TURN_MS = 5;
/** Time spans that are read at once: the first, and the longest. */
const SPAN_MS = { first: HOUR_MS, max: 2 * DAY_MS };

/** Replays of all teams together, and of one, at a time. */
const replays = new TeamSeats({
  seats: 2,
  seatsPerTeam: 1,
  waitingMax: 10,
  refusal: "The team previews too many alert rules at once; try again",
});

/**
 * Tells what a rule would have done over the last days, by stored results.
 * @param options.signal ends the work when nobody waits for it any more
 * @throws DomainError `not_found` when the team has no such check, `invalid` when a condition can never hold for it,
 *   `rate_limited` while too many previews of the team wait
 */
export async function previewRule(
  ctx: TeamContext,
  input: PreviewAlertRule,
  { signal }: { signal?: AbortSignal } = {},
): Promise<AlertPreview> {
  const { services, teamId } = ctx;
  const check = await findCheckRow(services.knex, teamId, input.checkId as CheckId);
  if (!check) throw notFound("Check");
  await assertSlosExist(services.knex, teamId, input.conditions);
  assertConditionsFit(services.secrets, check, input.conditions);
  const toMs = services.clock.nowMs();
  const fromMs = toMs - Number.parseInt(input.range, 10) * DAY_MS;
  const notReplayable = input.conditions.flatMap((condition) => {
    const { type, notReplayable: reason } = ruleOf(condition);
    return reason === undefined ? [] : [{ type, reason }];
  });
  const conditions = input.conditions.filter((condition) => ruleOf(condition).notReplayable === undefined);
  const [judged] = await readChecksToJudge(services.knex, [check.key]);
  const locationKeys = judged?.check.locationKeys ?? [];
  const replay = new RuleReplay({
    checkKey: check.key,
    locations: locationKeys.map((locationKey) => {
      const named = judged?.locations.find(({ key }) => key === locationKey);
      return { locationKey, locationId: named?.id ?? ("" as never), name: named?.name ?? "" };
    }),
    conditions,
    confirm: input.confirm && !pushedTraitsOf(check.type),
    recoverySuccesses: input.recovery.consecutiveSuccesses,
    firingsMax: PREVIEWED_FIRINGS_MAX,
  });
  if (conditions.length > 0 && locationKeys.length > 0) {
    const seat = await replays.acquire(teamId, { ...(signal && { signal }) });
    try {
      await replayHistory(ctx, replay, { checkKey: check.key, locationKeys, fromMs, toMs, signal });
    } finally {
      seat.release();
    }
  }
  const durationMs = replay.end(toMs);
  return {
    from: isoOf(fromMs),
    to: isoOf(toMs),
    results: replay.results,
    count: replay.count,
    durationMs,
    wouldFire: replay.firings.map(firingOf),
    unconfirmed: replay.unconfirmed,
    notReplayable,
  };
}

/** Reads the results in spans that hold about as many rows as are read at once, and judges them in small steps. */
async function replayHistory(
  { services: { knex } }: TeamContext,
  replay: RuleReplay,
  history: Omit<HistoryPart, "rowsMax"> & { signal: AbortSignal | undefined },
): Promise<void> {
  const { signal, toMs, ...part } = history;
  let fromMs = history.fromMs;
  let spanMs = SPAN_MS.first;
  while (fromMs < toMs) {
    signal?.throwIfAborted();
    const endMs = Math.min(toMs, fromMs + spanMs);
    const rows = await readHistoryPart(knex, { ...part, fromMs, toMs: endMs, rowsMax: ROWS_AT_ONCE });
    const lastMs = rows.at(-1)?.slotMs ?? 0;
    // Where there are more rows than were read, the last slot may lack some of its results: it is read again.
    const isCut = rows.length === ROWS_AT_ONCE && lastMs > fromMs;
    const whole = isCut ? rows.filter(({ slotMs }) => slotMs < lastMs) : rows;
    let turnMs = monotonicMs();
    for (let i = 0; i < whole.length; i += JUDGED_AT_ONCE) {
      replay.add(whole.slice(i, i + JUDGED_AT_ONCE));
      if (monotonicMs() - turnMs < TURN_MS) continue;
      await nextTurn();
      turnMs = monotonicMs();
    }
    fromMs = isCut ? lastMs : endMs;
    spanMs = nextSpan(spanMs, rows.length);
  }
}

function nextSpan(spanMs: number, rows: number): number {
  if (rows < ROWS_AT_ONCE / 3) return Math.min(SPAN_MS.max, spanMs * 2);
  return rows < ROWS_AT_ONCE ? spanMs : spanMs / 2;
}

function firingOf({ startedMs, endedMs, severity, context }: Firing): AlertPreview["wouldFire"][number] {
  const { summary, conditions, locations } = context;
  return {
    startedAt: isoOf(startedMs),
    endedAt: endedMs === undefined ? null : isoOf(endedMs),
    severity,
    evidence: {
      summary,
      conditions: conditions.map((one) => ({ ...one, resultIds: [...one.resultIds] })),
      locations: [...locations],
    },
  };
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
