/**
 * What other teams take of the hosted locations' runners. A team learns it as tenths of a whole only. Both sides of the
 * subtraction come from one reading, so a team that changes its own checks can't find out more by watching the tenths. Pure.
 */
import {
  changedDemand,
  type Demand,
  demandOf,
  type LimitShares,
  limitShares,
  NO_DEMAND,
  roundedShares,
  runCostOf,
  type TeamId,
} from "@svc/contract";
import type { Pool } from "./pools.ts";
import type { HostedLoadRow, TypicalRow } from "./store.ts";

/** What all teams run at the hosted locations, and how long their runs take. */
export class HostedLoad {
  readonly #rows: readonly HostedLoadRow[];
  readonly #seconds: ReadonlyMap<string, number>;
  readonly #whole = new Map<number, Demand>();

  constructor(rows: readonly HostedLoadRow[], typical: readonly TypicalRow[]) {
    this.#rows = rows;
    this.#seconds = new Map(typical.map((row) => [keyOf(row), row.seconds]));
    for (const { locationKey } of rows) {
      const here = this.#demandAt(locationKey, (rates) =>
        Object.values(rates).reduce((sum, rate) => sum + rate, 0),
      );
      this.#whole.set(locationKey, here);
    }
  }

  /** True when a check of some team runs at this hosted location. */
  has(locationKey: number): boolean {
    return this.#whole.has(locationKey);
  }

  /** Returns the demand of all teams at a location. */
  wholeAt(locationKey: number): Demand {
    return this.#whole.get(locationKey) ?? NO_DEMAND;
  }

  /** Returns which parts of a pool's limits the teams but this one take, in tenths. */
  othersOf(teamId: TeamId, { locationKeys, capacity }: Pool): LimitShares {
    const others = locationKeys.map((key) => {
      const whole = this.#whole.get(key);
      return whole && changedDemand(whole, { removed: this.#demandAt(key, (rates) => rates[teamId] ?? 0) });
    });
    const sum = others.reduce<Demand>(
      (all, one) => (one ? changedDemand(all, { added: one }) : all),
      demandOf([]),
    );
    return roundedShares(limitShares(sum, capacity));
  }

  #demandAt(locationKey: number, rateOf: (rates: HostedLoadRow["rates"]) => number): Demand {
    return demandOf(
      this.#rows.flatMap((row) => {
        const rate = row.locationKey === locationKey ? rateOf(row.rates) : 0;
        const runSeconds = this.#seconds.get(keyOf(row)) ?? runCostOf(row.type, row.kind).seconds;
        return rate > 0 ? [{ type: row.type, kind: row.kind, frequencySeconds: 1 / rate, runSeconds }] : [];
      }),
    );
  }
}

function keyOf({ type, kind }: { type: string; kind: string | null }): string {
  return `${type} ${kind ?? ""}`;
}
