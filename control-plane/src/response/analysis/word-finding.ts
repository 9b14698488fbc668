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

/** A model has answered, and nothing of what it said could be kept. */
export class NothingBorneOut extends Error {}

/** A finding in the words of a model. */
export interface WordedFinding {
  summary: string;
  /** At least one. */
  claims: InsightClaim[];
  /** The facts that claims name: the rules' evidence, and their own words as the last of them. */
  evidence: string[];
}

/** Conclusions of the rules, and the facts that they rest on. */
export interface Conclusion extends Pick<Finding, "severity" | "summary" | "evidence"> {
  /** Kind of the conclusion, in a word. */
  type: string;
  /** Names of what it is about, which every claim may say; the first is its title. */
  subject: readonly [string, ...string[]];
}

/**
 * Returns the finding in the model's words.
 * @throws Error of any kind when the model says nothing usable
 */
export function wordFinding(
  model: LanguageModel,
  finding: Finding,
  { name, host }: AnalysisInput["check"],
): Promise<WordedFinding> {
  return wordConclusion(model, { ...finding, subject: host === null ? [name] : [name, host] });
}

/**
 * Returns a conclusion in the model's words.
 * @param signal gives the question up
 * @throws Error of any kind when the model says nothing usable
 */
export async function wordConclusion(
  model: LanguageModel,
  { type, severity, summary, evidence, subject }: Conclusion,
  signal?: AbortSignal,
): Promise<WordedFinding> {
  const facts = [...evidence, `by the rules: ${summary}`];
  const answer = await model.write({
    instructions: WORD_FINDING.text,
    input: JSON.stringify({
      check: subject[0],
      finding: { type, severity },
      facts: facts.map((text, index) => ({ id: index + 1, text })),
    }),
    outputTokensMax: TOKENS_MAX,
    ...(signal && { signal }),
  });
  const { claims, dropped } = claimsOf(answer, { facts, subject, severity });
  if (claims.length === 0)
    throw new NothingBorneOut(
      `the language model made ${dropped} claims, and its facts bear out none of them`,
    );
  return { summary: claims.map(({ text }) => text).join(" "), claims, evidence: facts };
}
