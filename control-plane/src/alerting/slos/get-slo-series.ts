import { DAY_MS, notFound, type SloId, type SloSeries } from "@svc/contract";
import { heldSpans } from "../../checks/maintenance/held-store.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { budgetCourse, exhaustedAtMs, hoursOf } from "./budget-course.ts";
import { burnRateOf } from "./burn-rate.ts";
import { countSlos } from "./count-slos.ts";
import { windowBeginMs } from "./read-status-counts.ts";
import { readWindowCoverage } from "./read-window-coverage.ts";
import { NO_COUNTS } from "./result-counts.ts";
import { type Span, without } from "./span-pieces.ts";
import { findSloRow } from "./store.ts";

/** Most times of maintenance in an answer. */
const MAINTENANCE_MAX = 200;

/**
 * Returns how an SLO's error budget was spent over its window, hour by hour, whether it is enabled or not.
 * @throws DomainError `not_found`
 */
export async function getSloSeries(
  { services, teamId }: TeamContext,
  { id }: { id: SloId },
): Promise<SloSeries> {
  const { knex, clock } = services;
  const slo = await findSloRow(knex, teamId, id);
  if (!slo) throw notFound("SLO");
  const nowMs = clock.nowMs();
  const window = { fromMs: windowBeginMs(slo, nowMs), toMs: nowMs };
  const spans = hoursOf(window);
  const questions = [...spans, { fromMs: nowMs - DAY_MS, toMs: nowMs }].map((span) => ({ slo, ...span }));
  const counts = await countSlos(knex, questions);
  const hours = spans.map((span, i) => ({ ...span, counts: counts[i] ?? NO_COUNTS }));
  const course = budgetCourse(hours, slo.targetBasisPoints);
  const endsAtMs = exhaustedAtMs({
    nowMs,
    windowDays: slo.windowDays,
    budgetLeft: course.points.at(-1)?.budgetLeft ?? 1,
    burnRate: burnRateOf(counts.at(-1) ?? NO_COUNTS, slo.targetBasisPoints),
  });
  const { checkKey, checkId } = slo;
  const isOfCheck = checkKey !== null && checkId !== null;
  const held = isOfCheck
    ? ((await heldSpans(knex, { checkKeys: [checkKey], ...window })).get(checkKey) ?? [])
    : [];
  return {
    sloId: slo.id,
    from: iso(window.fromMs),
    to: iso(nowMs),
    ...course,
    maintenance: heldWithin(window, held).map(({ fromMs, toMs }) => ({ from: iso(fromMs), to: iso(toMs) })),
    exhaustedAt: endsAtMs === null ? null : iso(endsAtMs),
    coverage: isOfCheck
      ? await readWindowCoverage(knex, { check: { key: checkKey, id: checkId }, hours, held, nowMs })
      : null,
  };
}

const iso = (ms: number) => new Date(ms).toISOString();

/** Returns the newest times of the window that are held, without overlaps, oldest first. */
function heldWithin(window: Span, held: readonly Span[]): Span[] {
  return without(window, without(window, held)).slice(-MAINTENANCE_MAX);
}
