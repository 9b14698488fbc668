/**
 * Wording of a finding by a language model. The model only words it, claim by claim: type, severity, confidence and evidence stay
 * those of the rules, and so does the summary when the model does not answer in time and in form, or says nothing that its facts bear
 * out.
 */
import type { InsightClaim } from "@svc/contract";
import type { LanguageModel } from "../../platform/language-model/language-model.ts";
import { claimsOf } from "./claims.ts";
import type { AnalysisInput } from "./input.ts";
import { WORD_FINDING } from "./prompts.ts";
import type { Finding } from "./rules/define-rule.ts";

const TOKENS_MAX = 800;

/** A finding in the words of a model. */
export interface WordedFinding {
  summary: string;
  /** At least one. */
  claims: InsightClaim[];
  /** The facts that claims name: the rules' evidence, and their own words as the last of them. */
  evidence: string[];
}

/**
 * Returns the finding in the model's words.
 * @throws Error of any kind when the model says nothing usable
 */
export async function wordFinding(
  model: LanguageModel,
  { type, severity, summary, evidence }: Finding,
  { name, host }: AnalysisInput["check"],
): Promise<WordedFinding> {
  const facts = [...evidence, `by the rules: ${summary}`];
  const answer = await model.write({
    instructions: WORD_FINDING.text,
    input: JSON.stringify({
      check: name,
      finding: { type, severity },
      facts: facts.map((text, index) => ({ id: index + 1, text })),
    }),
    outputTokensMax: TOKENS_MAX,
  });
  const subject = host === null ? [name] : [name, host];
  const { claims, dropped } = claimsOf(answer, { facts, subject, severity });
  if (claims.length === 0)
    throw new Error(`the language model made ${dropped} claims, and its facts bear out none of them`);
  return { summary: claims.map(({ text }) => text).join(" "), claims, evidence: facts };
}
