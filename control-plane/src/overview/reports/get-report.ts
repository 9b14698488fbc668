import {
  DAY_MS,
  REPORT_CHECKS_MAX,
  REPORT_INCIDENTS_MAX,
  REPORT_LABELS_MAX,
  type Report,
  type ReportDay,
} from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { dayOf } from "../../results/retention/partitions.ts";
import { COUNTED_AFTER_MS } from "./count-days.ts";
import { budgetOf, figuresOf, missingByReason, NO_SLOTS } from "./figures.ts";
import { countIncidents, readIncidents } from "./incident-store.ts";
import { bitOfDay, dateOf, daysOfMonth } from "./month.ts";
import { type MonthToReport, monthToReport } from "./month-to-report.ts";
import {
  type CheckRow,
  type DayRow,
  findMonth,
  readCheckSums,
  readDaySums,
  readLabelSums,
  readReasonSums,
  readSloSums,
} from "./read-store.ts";

/**
 * Returns the report of a month.
 * @throws DomainError `invalid` for a month that has not begun, `not_found` for one before the team was created
 */
export async function getReport(
  ctx: Pick<TeamContext, "services" | "teamId">,
  { month: name }: { month: string },
): Promise<Report> {
  const { knex, clock, config } = ctx.services;
  const nowMs = clock.nowMs();
  const month = await monthToReport(ctx, name);
  const { checkCount = 0, countedDays = 0 } = (await findMonth(knex, ctx.teamId, name)) ?? {};
  const sums = await readDaySums(knex, month);
  const reasons = await readReasonSums(knex, month);
  const labels = await readLabelSums(knex, month, REPORT_LABELS_MAX);
  const checks = await readCheckSums(knex, month, {
    after: undefined,
    rowsMax: REPORT_CHECKS_MAX,
    offset: 0,
  });
  const slos = await readSloSums(knex, month, REPORT_CHECKS_MAX);
  const incidents = await countIncidents(knex, month);
  const listed = await readIncidents(knex, month, REPORT_INCIDENTS_MAX);
  const incidentsKeptMs = nowMs - config.incidentRetentionDays * DAY_MS;
  const sum = (field: keyof Omit<DayRow, "dayMs">) => sums.reduce((total, row) => total + row[field], 0);
  const totals = { expected: sum("expected"), received: sum("received"), success: sum("success") };
  const days = daysOf(sums, { name, countedDays });
  return {
    month: name,
    from: new Date(month.fromMs).toISOString(),
    to: new Date(month.toMs).toISOString(),
    isComplete: days.at(-1)?.isCounted ?? false,
    countedUntil: countedUntil(name, countedDays),
    totals: { checkCount, ...figuresOf(totals) },
    days,
    daysNotCounted: daysNotCounted(month, { countedDays, nowMs }),
    daysNotMeasured: days
      .filter(({ expected, received }) => expected > 0 && received === 0)
      .map(({ date }) => date),
    byLabel: labels.map(({ label, checkCount, ...counts }) => ({
      label,
      checkCount,
      ...figuresOf(counts),
    })),
    labelsLeftOut: (labels[0]?.labelCount ?? 0) - labels.length,
    checks: checks.map(checkOfReport),
    checksLeftOut: Math.max(0, checkCount - checks.length),
    slos: slos.map(({ sloCount, countedDays: ofSlo, ...slo }) => ({
      ...slo,
      ...budgetOf({ ...slo, countedDays: ofSlo }),
    })),
    slosLeftOut: (slos[0]?.sloCount ?? 0) - slos.length,
    incidents: {
      opened: incidents.opened,
      ended: incidents.ended,
      openAtBegin: incidents.openAtBegin,
      listed,
      leftOut: incidents.all - listed.length,
      keptFrom: incidentsKeptMs > month.fromMs ? new Date(incidentsKeptMs).toISOString() : null,
    },
    slots: {
      expected: totals.expected,
      received: totals.received,
      missing: totals.expected - totals.received,
      missingByReason: missingByReason(totals.expected - totals.received, reasons),
      givenBack: sum("givenBack"),
      inMaintenance: sum("inMaintenance"),
    },
  };
}

/** Returns a check as reports show it. */
export function checkOfReport({ key, rank, expected, received, success, ...check }: CheckRow) {
  return { ...check, ...figuresOf({ expected, received, success }) };
}

interface CountedMonth {
  name: string;
  /** A bit for each day that was counted. */
  countedDays: number;
}

function daysOf(sums: readonly DayRow[], { name, countedDays }: CountedMonth): ReportDay[] {
  const byDay = new Map(sums.map((row) => [row.dayMs, row]));
  return daysOfMonth(name).map((dayMs) => ({
    date: dateOf(dayMs),
    isCounted: (countedDays & bitOfDay(dayMs)) !== 0,
    ...figuresOf(byDay.get(dayMs) ?? NO_SLOTS),
  }));
}

function countedUntil(name: string, countedDays: number): string | null {
  const last = daysOfMonth(name).findLast((dayMs) => (countedDays & bitOfDay(dayMs)) !== 0);
  return last === undefined ? null : new Date(last + DAY_MS).toISOString();
}

/** Returns the days on which the team was there, that should have been counted by now, and that were not. */
function daysNotCounted(
  { month, teamCreatedMs }: MonthToReport,
  { countedDays, nowMs }: { countedDays: number; nowMs: number },
): string[] {
  return daysOfMonth(month)
    .filter(
      (dayMs) =>
        dayMs >= dayOf(teamCreatedMs) &&
        dayMs + DAY_MS + COUNTED_AFTER_MS <= nowMs &&
        (countedDays & bitOfDay(dayMs)) === 0,
    )
    .map(dateOf);
}
