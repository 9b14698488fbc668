/** What the burn_rate condition asks of SLOs; slos/read-burn-rates.ts answers. */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";

/** A rate that is asked for. */
export interface BurnRateQuestion {
  /** Of the rule that asks: another team's SLO is not known. */
  teamId: TeamId;
  sloId: string;
  windowMinutes: number;
}

/** How fast an SLO's error budget was spent over the last minutes: 1 spends it exactly over the SLO's window. */
export type BurnRates = (teamId: TeamId, sloId: string, windowMinutes: number) => number | undefined;

/** Reads all rates asked for at once, in the evaluation's transaction. @param nowMs Unix ms: the end of each window */
export type ReadBurnRates = (
  trx: Knex,
  questions: readonly BurnRateQuestion[],
  nowMs: number,
) => Promise<BurnRates>;

export const noBurnRates: ReadBurnRates = async () => () => undefined;
