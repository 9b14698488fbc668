/** Input source: how fast error budgets of SLOs were spent lately. */
import type { SloId } from "@svc/contract";
import { readBurnRates } from "../slos/read-burn-rates.ts";
import type { InputSource } from "./input-source.ts";

/** A burn rate that a condition asks for. */
export interface BurnRateNeed {
  sloId: SloId;
  windowMinutes: number;
}

/**
 * Returns how fast an SLO's error budget was spent over the last minutes; 1 spends it exactly over the SLO's window.
 * Undefined: not known, e.g. because the SLO is switched off.
 */
export type BurnRateLookup = (sloId: SloId, windowMinutes: number) => number | undefined;

/** Loads the burn rates that the rules ask for. */
export const burnRate: InputSource<readonly BurnRateNeed[], BurnRateLookup> = {
  combine: (needs) => needs.flat(),
  none: () => undefined,
  load: async (trx, checks, nowMs) => {
    const questions = checks.flatMap(({ check, need }) =>
      need.map((one) => ({ ...one, teamId: check.teamId })),
    );
    const rates = await readBurnRates(trx, questions, nowMs);
    return new Map(
      checks.map(({ check }) => [
        check.key,
        (sloId: SloId, windowMinutes: number) => rates(check.teamId, sloId, windowMinutes),
      ]),
    );
  },
};
