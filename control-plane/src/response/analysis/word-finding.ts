/**
 * Wording of a finding by a language model. The model only words it: type, severity, confidence and evidence stay those of
 * the rules, and so does the summary when the model does not answer in time and in form.
 */
import { firstCharacters, oneLine } from "@svc/contract";
import type { LanguageModel } from "../../platform/language-model/language-model.ts";
import { WORD_FINDING } from "./prompts.ts";
import type { Finding } from "./rules/define-rule.ts";

const SUMMARY_MAX = 1_000;
const TOKENS_MAX = 300;

/**
 * Returns the finding in the model's words, on one line.
 * @throws Error of any kind when the model gives no usable text
 */
export async function wordFinding(
  model: LanguageModel,
  finding: Finding,
  checkName: string,
): Promise<string> {
  const text = await model.write({
    instructions: WORD_FINDING.text,
    input: JSON.stringify({ check: checkName, ...finding }),
    outputTokensMax: TOKENS_MAX,
  });
  // Format characters could reorder the text where it is shown.
  const words = oneLine(text.replaceAll(/\p{Cf}/gu, " "));
  if (words === "") throw new Error("the language model answered nothing");
  return firstCharacters(words, SUMMARY_MAX);
}
