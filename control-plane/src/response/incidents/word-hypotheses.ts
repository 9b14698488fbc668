/**
 * Has a language model word the hypotheses of open incidents, outside of the transactions that make them. The rules' hypothesis
 * stands beside it unchanged; a sentence that its facts do not bear out is dropped.
 */
import type { HypothesisWording } from "@svc/contract";
import type { LanguageModel } from "../../platform/language-model/language-model.ts";
import type { Services } from "../../platform/services.ts";
import { WORD_FINDING } from "../analysis/prompts.ts";
import { NothingBorneOut, wordConclusion } from "../analysis/word-finding.ts";
import { readUnwordedIncidents, saveWording, type UnwordedIncident } from "./wording-store.ts";

/** Incidents, each of another team, that the model is asked about at a time. */
const INCIDENTS_AT_ONCE = 4;

/** Words one hypothesis of each of a few teams. @param signal gives the questions up */
export async function wordHypotheses(
  { knex, clock, log }: Pick<Services, "knex" | "clock" | "log">,
  { model, signal }: { model: LanguageModel; signal: AbortSignal },
): Promise<void> {
  const incidents = await readUnwordedIncidents(knex, { nowMs: clock.nowMs(), rowsMax: INCIDENTS_AT_ONCE });
  await Promise.all(
    incidents.map(async (incident) => {
      const worded = await word(model, incident, signal).catch((error: unknown) => {
        log.warn(
          { err: error, model: model.name, prompt: WORD_FINDING.version },
          "the language model did not word a hypothesis",
        );
        return { claims: [], facts: [], ...(!(error instanceof NothingBorneOut) && { model: "" }) };
      });
      // A question that was given up at the end of the process is asked again after the next start.
      if (!signal.aborted)
        await saveWording(knex, { incident, model: model.name, ...worded, nowMs: clock.nowMs() });
    }),
  );
}

async function word(
  model: LanguageModel,
  { title, severity, hypothesis }: UnwordedIncident,
  signal: AbortSignal,
): Promise<Pick<HypothesisWording, "claims" | "facts">> {
  const { summary, ruledIn, ruledOut, correlationDimensionsMatched } = hypothesis;
  const { claims, evidence } = await wordConclusion(
    model,
    {
      type: "incident",
      severity,
      summary,
      evidence: [
        ...ruledIn,
        ...ruledOut.map((fact) => `excluded: ${fact}`),
        ...correlationDimensionsMatched.map((fact) => `its alerts share ${fact}`),
      ],
      subject: [title],
    },
    signal,
  );
  return { claims, facts: evidence };
}
