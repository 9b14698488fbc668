/** No runner reports from a location whose slots stay empty. */
import { listed } from "@svc/contract";
import { isAboutMissingRuns } from "../../incidents/member-profile.ts";
import { distinct } from "../input.ts";
import { defineHypothesisRule } from "./define-rule.ts";

/** Blames the runners for members whose alerts are about missing runs, and rules the target out. */
export const missingRuns = defineHypothesisRule("missing_runs", ({ members, runners }) => {
  const missing = members.filter(isAboutMissingRuns);
  if (missing.length === 0) return undefined;
  const names = distinct(missing.flatMap(({ locations }) => locations));
  const dead = runners.filter(
    ({ locationName, aliveCount }) => names.includes(locationName) && aliveCount === 0,
  );
  const where = listed(names);
  if (dead.length > 0)
    return {
      cause: { summary: `Checks do not run at ${where}: no runner there is alive`, confidence: 0.9 },
      ruledIn: dead.map(({ locationName }) => `runner: none alive at ${locationName}`),
      ruledOut: ["target: nothing was measured, so nothing speaks against it"],
    };
  return {
    cause: { summary: `Checks do not run at ${where}, though runners there are alive`, confidence: 0.5 },
    ruledIn: [`runner: slots at ${where} stay without a result`],
  };
});
