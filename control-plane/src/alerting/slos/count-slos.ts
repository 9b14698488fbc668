/** Counts what SLOs are made of: the results of a check, or the requests to a third party. */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { countRequests } from "./count-requests.ts";
import { countResults } from "./count-results.ts";
import { NO_COUNTS, type ResultCounts } from "./result-counts.ts";
import type { Span } from "./span-pieces.ts";

/** The subject of an SLO. Either the check or the pattern is there. */
interface SloSubject {
  teamId: TeamId;
  checkKey: number | null;
  patternKey: number | null;
  perfThresholdMs: number | null;
}

/** Asks for the counts of an SLO over a span. */
export interface SloQuestion extends Span {
  slo: SloSubject;
}

/** Returns one answer per question, in their order. A good request counts as a success, which takes no time. */
export async function countSlos(db: Knex, questions: readonly SloQuestion[]): Promise<ResultCounts[]> {
  const ofChecks = questions.flatMap(({ slo, fromMs, toMs }, index) =>
    slo.checkKey === null
      ? []
      : [{ index, checkKey: slo.checkKey, thresholdMs: slo.perfThresholdMs, fromMs, toMs }],
  );
  const ofPatterns = questions.flatMap(({ slo: { teamId, patternKey }, fromMs, toMs }, index) =>
    patternKey === null ? [] : [{ index, teamId, patternKey, fromMs, toMs }],
  );
  const answers = questions.map(() => NO_COUNTS);
  for (const [at, counts] of (await countResults(db, ofChecks)).entries())
    answers[ofChecks[at]?.index as number] = counts;
  for (const [at, { total, good }] of (await countRequests(db, ofPatterns)).entries())
    answers[ofPatterns[at]?.index as number] = { total, good, success: good, responseTimeSumUs: 0 };
  return answers;
}
