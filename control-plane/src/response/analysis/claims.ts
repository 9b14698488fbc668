/**
 * Claims of a language model about a check, held against the facts that it was given. A model may be wrong, and the facts quote
 * texts of the monitored target, which may try to instruct it: so nothing is kept that its facts do not say. Pure.
 */
import { firstCharacters, type InsightClaim, oneLine, type Severity } from "@svc/contract";
import * as z from "zod";
import { hasUnknownNames, hasUnknownNumbers, hasUnknownQuotes, reassures } from "./claim-words.ts";

const CLAIMS_MAX = 6;
const CLAIM_CHARACTERS_MAX = 300;
/** Longest answer that is read at all. */
const ANSWER_CHARACTERS_MAX = 20_000;

const answerSchema = z.object({
  claims: z.array(z.object({ text: z.string(), factIds: z.array(z.int()) })).max(50),
});

/** The facts that claims are held against. */
export interface ClaimGround {
  /** The evidence of the finding; the model knows the first one by the id 1. */
  facts: readonly string[];
  /** Names of what the finding is about, which every claim may say. */
  subject: readonly string[];
  severity: Severity;
}

/**
 * Returns the claims of a model's answer that their facts bear out, with the facts by index, and how many were dropped.
 * @param answer `{"claims": [{"text": ..., "factIds": [1]}]}` as JSON, perhaps between the marks of a code block
 * @throws Error when the answer has another form
 */
export function claimsOf(answer: string, ground: ClaimGround): { claims: InsightClaim[]; dropped: number } {
  const said = parseAnswer(answer);
  const claims = said.flatMap((claim) => keptClaim(claim, ground) ?? []).slice(0, CLAIMS_MAX);
  return { claims, dropped: said.length - claims.length };
}

function parseAnswer(answer: string): z.infer<typeof answerSchema>["claims"] {
  if (answer.length > ANSWER_CHARACTERS_MAX)
    throw new Error(`the language model answered ${answer.length} characters, not claims`);
  const text = answer.trim().replace(/^```(?:json)?\n([\s\S]*)\n```$/, "$1");
  try {
    return answerSchema.parse(JSON.parse(text)).claims;
  } catch (error) {
    throw new Error("the language model did not answer with claims in the form that was asked for", {
      cause: error,
    });
  }
}

/** Returns the claim as it is shown; undefined when its facts do not bear it out. */
function keptClaim(
  { text, factIds }: z.infer<typeof answerSchema>["claims"][number],
  { facts, subject, severity }: ClaimGround,
): InsightClaim | undefined {
  // Format characters could reorder the text where it is shown.
  const words = oneLine(text.replaceAll(/\p{Cf}/gu, " "));
  const indexes = [...new Set(factIds.map((id) => id - 1))];
  const named = indexes.map((index) => facts[index]);
  if (words === "" || named.length === 0 || named.includes(undefined)) return undefined;
  if (words.length > CLAIM_CHARACTERS_MAX) return undefined;
  if (severity !== "info" && reassures(words)) return undefined;
  const known = [...named, ...subject].join("\n");
  if (hasUnknownNumbers(words, known) || hasUnknownQuotes(words, known) || hasUnknownNames(words, known))
    return undefined;
  return { text: firstCharacters(words, CLAIM_CHARACTERS_MAX), facts: indexes.sort((a, b) => a - b) };
}
