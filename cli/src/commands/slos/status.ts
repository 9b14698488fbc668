/** Shows where an SLO stands, with its error budget and burn rates: `svc slos status`. */
import type { SloStatus } from "@svc/contract";
import { MINUTE_MS } from "@svc/contract";
import { printFields } from "../../output/print-fields.ts";
import { lengthText } from "../../output/times.ts";
import { percentOf, shareText } from "../../resources/slos/describe.ts";
import { getSlo, SLO_ARGUMENT } from "../../resources/slos/get-slo.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc slos status`. The exit code does not depend on the state of the budget. */
export const command = defineCommand({
  summary: "show where an SLO stands: good results, error budget, burn rates",
  answers: async () => (await import("../../answers/slos.ts")).slosStatus,
  arguments: [SLO_ARGUMENT],
  examples: ['slos status "Checkout availability"', "slos status slo_... --json"],
  async run(context, _options, [typed]) {
    const api = context.api();
    const { id } = await getSlo(api, typed as string);
    const status = await api.getSloStatus(id);
    return { data: { status }, print: (out) => printFields(out, fieldsOf(status)) };
  },
});

function fieldsOf(status: SloStatus) {
  const { perfComplianceRatio, availability } = status;
  const counted = status.sloType === "third_party" ? "requests" : "results";
  const burnRate = (rate: number) => `${Math.round(rate * 100) / 100}`;
  return [
    ["Name", status.name],
    ["Target", `${percentOf(status.targetBasisPoints)} over ${status.windowDays} days`],
    ["Good", status.totalCount === 0 ? `no ${counted} yet` : shareText(perfComplianceRatio ?? availability)],
    [
      counted === "requests" ? "Requests" : "Results",
      `${status.successCount} successes of ${status.totalCount}`,
    ],
    ["Budget", minutes(status.errorBudgetTotal)],
    ["Spent", `${minutes(status.errorBudgetConsumed)} (${shareText(status.budgetConsumedRatio)})`],
    ["Left", minutes(status.errorBudgetRemaining)],
    ["Burn rate 1h", burnRate(status.burnRate1h)],
    ["Burn rate 6h", burnRate(status.burnRate6h)],
    ["Burn rate 24h", burnRate(status.burnRate24h)],
  ] as const;
}

function minutes(count: number): string {
  return count < 0 ? `-${lengthText(-count * MINUTE_MS)}` : lengthText(count * MINUTE_MS);
}
