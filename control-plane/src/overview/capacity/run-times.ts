/** How long runs are expected to take. Pure. */
import { runCostOf } from "@svc/contract";
import type { LoadRow } from "./store.ts";

const SECOND_US = 1_000_000;

/** Runs of one type and kind. */
interface Runs {
  type: string;
  kind?: string | null | undefined;
}

/** Medians of measured run times, for checks that have no time of their own yet. */
export class RunTimes {
  readonly #medians = new Map<string, number>();

  /** @param rows the team's measured checks */
  constructor(rows: readonly LoadRow[]) {
    const everywhere = new Map<string, number[]>();
    for (const row of rows) {
      const measured = row.meanUs.filter((us) => us >= 0);
      if (measured.length === 0) continue;
      this.#medians.set(keyOf(row, row.locationKey), medianOf(measured));
      const all = everywhere.get(keyOf(row)) ?? [];
      for (const us of measured) all.push(us);
      everywhere.set(keyOf(row), all);
    }
    for (const [key, all] of everywhere) this.#medians.set(key, medianOf(all));
  }

  /**
   * Returns the expected seconds of a run at a location: the check's own mean there; else the median of the team's checks of its
   * type and kind there, else that at any location, else what is typical of the type.
   * @param meanUs the check's own mean there, µs; undefined, null or negative: not measured
   */
  secondsAt(locationKey: number, runs: Runs, meanUs?: number | null): number {
    const us =
      meanUs != null && meanUs >= 0
        ? meanUs
        : (this.#medians.get(keyOf(runs, locationKey)) ?? this.#medians.get(keyOf(runs)));
    return us === undefined ? runCostOf(runs.type, runs.kind).seconds : us / SECOND_US;
  }
}

function keyOf({ type, kind }: Runs, locationKey?: number): string {
  return `${locationKey ?? "*"} ${type} ${kind ?? ""}`;
}

function medianOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}
