/**
 * Demand that the runs of checks make on a location's runners. All quantities are whole numbers of small units, so that sums are
 * exact: the order of checks changes nothing, and what is added and removed again leaves nothing behind. Pure.
 */
import { FRESH_RUN_MS, OPEN_RUNS_PER_FRESH } from "../base/run-limits.ts";
import { type CheckTypeMember, checkTypes } from "../checks/registry.ts";
import { DEFAULT_RUN_COST, type RunCost } from "../checks/run-cost.ts";

const HOUR_SECONDS = 3_600;
const MILLION = 1_000_000;
const FRESH_SECONDS = FRESH_RUN_MS / 1_000;

/** A check at one location, as far as its runs cost something there. */
export interface RunsOfCheck {
  type: string;
  /** Value of the configuration's field by which the cost of the type's runs differs; see {@link runKindField}. */
  kind?: string | null | undefined;
  frequencySeconds: number;
  /** Expected time that a run takes, seconds. */
  runSeconds: number;
}

/** Demand of runs in an hour. */
export interface Demand {
  /** Millionths of a run, by check type. No type has 0. */
  readonly runs: Readonly<Record<string, number>>;
  /** Time for which runs hold one of a runner's places for fresh runs, µs. */
  readonly freshUs: number;
  /** Time for which runs have a browser, µs. */
  readonly browserUs: number;
  /** Part of it in the browser that runs share, µs. */
  readonly pageUs: number;
  /** Time for which runs hold browser pages, µs: a run that holds four counts four times. */
  readonly memoryUs: number;
}

/** The demand of no run. */
export const NO_DEMAND: Demand = { runs: {}, freshUs: 0, browserUs: 0, pageUs: 0, memoryUs: 0 };

/** Returns what the checks demand in an hour; each counts `times`, once by default. */
export function demandOf(checks: Iterable<RunsOfCheck & { times?: number }>): Demand {
  const runs: Record<string, number> = {};
  const sum = { freshUs: 0, browserUs: 0, pageUs: 0, memoryUs: 0 };
  for (const { type, kind, frequencySeconds, runSeconds, times = 1 } of checks) {
    const cost = runCostOf(type, kind);
    const perHour = (amount: number) =>
      times * Math.round((amount * HOUR_SECONDS * MILLION) / frequencySeconds);
    runs[type] = (runs[type] ?? 0) + perHour(1);
    // A long run holds a place for fresh runs only at first, but one of twenty times as many for open runs to its end.
    sum.freshUs += perHour(Math.max(Math.min(runSeconds, FRESH_SECONDS), runSeconds / OPEN_RUNS_PER_FRESH));
    if (cost.browserPages === undefined) continue;
    const openUs = perHour(runSeconds);
    sum.browserUs += openUs;
    sum.memoryUs += cost.browserPages * openUs;
    if (cost.sharesBrowser) sum.pageUs += openUs;
  }
  return { runs, ...sum };
}

/** Returns `before` with one demand added and another removed; nothing falls below 0. */
export function changedDemand(
  before: Demand,
  { added = NO_DEMAND, removed = NO_DEMAND }: { added?: Demand; removed?: Demand },
): Demand {
  const types = new Set([...Object.keys(before.runs), ...Object.keys(added.runs)]);
  const of = (field: keyof Omit<Demand, "runs">) =>
    Math.max(0, before[field] + added[field] - removed[field]);
  return {
    runs: Object.fromEntries(
      [...types].flatMap((type) => {
        const left = (before.runs[type] ?? 0) + (added.runs[type] ?? 0) - (removed.runs[type] ?? 0);
        return left > 0 ? [[type, left]] : [];
      }),
    ),
    freshUs: of("freshUs"),
    browserUs: of("browserUs"),
    pageUs: of("pageUs"),
    memoryUs: of("memoryUs"),
  };
}

/** Returns the runs of all types, in millionths of a run an hour. */
export function allRuns({ runs }: Pick<Demand, "runs">): number {
  return Object.values(runs).reduce((sum, one) => sum + one, 0);
}

type CostedType = Pick<CheckTypeMember, "type"> & {
  readonly runCost?: RunCost;
  readonly runCostsBy?: { readonly field: string; readonly costs: Readonly<Record<string, RunCost>> };
};

/** Returns what a run takes of a runner. @param kind the value of {@link runKindField}, for types that have one */
export function runCostOf(type: string, kind?: string | null): RunCost {
  const member: CostedType | undefined = checkTypes.find(type);
  const costs = member?.runCostsBy?.costs;
  const byKind = costs && kind != null && Object.hasOwn(costs, kind) ? costs[kind] : undefined;
  return byKind ?? (costs && Object.values(costs)[0]) ?? member?.runCost ?? DEFAULT_RUN_COST;
}

/** Returns the field of the configuration by which the cost of the type's runs differs; undefined when they all cost alike. */
export function runKindField(type: string): string | undefined {
  const member: CostedType | undefined = checkTypes.find(type);
  return member?.runCostsBy?.field;
}

/** Returns the kind of a check's runs, for {@link runCostOf}; undefined when all runs of its type cost alike. */
export function runKindOf(type: string, config: Readonly<Record<string, unknown>>): string | undefined {
  const field = runKindField(type);
  const value = field === undefined ? undefined : config[field];
  return typeof value === "string" ? value : undefined;
}

/** True when runs of the type have a browser. */
export function needsBrowser(type: string): boolean {
  return runCostOf(type).browserPages !== undefined;
}
