/** Shows how an SLO is defined: `svc slos get`. */
import { counted, type Slo } from "@svc/contract";
import { printFields } from "../../output/print-fields.ts";
import { ago } from "../../output/times.ts";
import {
  goodText,
  listPatternNames,
  type PatternNames,
  percentOf,
  subjectOf,
} from "../../resources/slos/describe.ts";
import { getSlo, SLO_ARGUMENT } from "../../resources/slos/get-slo.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc slos get`. For the state of the error budget see `svc slos status`. */
export const command = defineCommand({
  summary: "show how an SLO is defined",
  answers: async () => (await import("../../answers/slos.ts")).slosGet,
  arguments: [SLO_ARGUMENT],
  examples: ['slos get "Checkout availability"', "slos get slo_... --json"],
  async run(context, _options, [typed]) {
    const api = context.api();
    const slo = await getSlo(api, typed as string);
    const patternNames = await listPatternNames(api, [slo]);
    return {
      data: { slo },
      print: (out) => printFields(out, fieldsOf(slo, patternNames, context.system.nowMs())),
    };
  },
});

function fieldsOf(slo: Slo, patternNames: PatternNames, nowMs: number) {
  return [
    ["Name", slo.name],
    ["Id", slo.id],
    ["Of", subjectOf(slo, patternNames)],
    ["Good", goodText(slo)],
    ["Target", `${percentOf(slo.targetBasisPoints)} over ${slo.windowDays} days`],
    ["State", slo.enabled ? "enabled" : "disabled"],
    [
      "Burn-rate alerts",
      slo.burnRateAlertsEnabled ? `to ${counted(slo.channelIds.length, "channel")}` : "off",
    ],
    ["Updated", ago(slo.updatedAt ?? slo.createdAt, nowMs)],
  ] as const;
}
