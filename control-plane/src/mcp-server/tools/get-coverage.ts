import { COVERAGE_RANGES, counted, overviewRoutes, resultRoutes } from "@svc/contract";
import * as z from "zod";
import { getTeamCoverage } from "../../overview/get-team-coverage.ts";
import { getCoverage as getCoverageOf } from "../../results/coverage/get-coverage.ts";
import { untrusted } from "../answers/untrusted.ts";
import { checkIdInput } from "./inputs.ts";
import { defineTool } from "./tool.ts";

/** Missing slots of a location that are listed one by one. */
const LISTED_MAX = 10;

/** Tells whether every run that was due has a result. */
export const getCoverage = defineTool({
  type: "get_coverage",
  title: "Coverage",
  description:
    "Tells whether every slot that was due has a result, by location, and why others have none: of one check over a range, or of all checks over 24 hours when no check is named.",
  routes: [resultRoutes.getCoverage, overviewRoutes.getCoverage],
  input: z.strictObject({
    checkId: checkIdInput.optional(),
    range: z
      .enum(Object.keys(COVERAGE_RANGES) as (keyof typeof COVERAGE_RANGES)[])
      .default("24h")
      .describe("How far back, of one check."),
  }),
  async run({ ctx, parts }, { checkId, range }) {
    if (checkId === undefined) {
      const coverage = await getTeamCoverage(ctx, parts.slotCounts);
      return { summary: sentenceOf(coverage.locations), ...coverage };
    }
    const { from, to, locations } = await getCoverageOf(ctx, { checkId, range });
    return {
      summary: sentenceOf(locations),
      checkId,
      from,
      to,
      locations: locations.map(({ missing, ...location }) => ({
        ...location,
        reasons: countsOf(missing.map(({ reason }) => reason)),
        newestMissing: missing
          .slice(0, LISTED_MAX)
          .map(({ slotAt, reason, detail }) => ({ slotAt, reason, ...untrusted({ detail }) })),
      })),
    };
  },
});

function sentenceOf(locations: readonly { expected: number; missingCount: number }[]): string {
  const sum = (field: "expected" | "missingCount") =>
    locations.reduce((total, location) => total + location[field], 0);
  return `${counted(sum("missingCount"), "slot")} of ${sum("expected")} without a result.`;
}

function countsOf(reasons: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const reason of reasons) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}
