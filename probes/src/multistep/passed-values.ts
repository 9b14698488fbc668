/** Values that steps extract and pass on, and the texts that no result may show because of them. */
import { REDACTED } from "@svc/contract";
import { textStart } from "../base/storable-text.ts";
import type { CookieJar } from "../http/cookies.ts";
import type { HttpAttempt } from "../http-attempt/attempt.ts";
import { extractTexts } from "./extract.ts";
import type { FilledRequest } from "./fill-request.ts";
import { looksSecret, secretNamesOf } from "./secret-values.ts";
import {
  type ExtractedValue,
  type MultistepConfig,
  type Step,
  StepProblem,
  type StepRequest,
} from "./step.ts";

/** Longest value that a result lists, characters. */
const VALUE_SHOWN_MAX = 200;

/** State that the steps of one attempt pass on. */
export interface Passed {
  values: Map<string, ExtractedValue>;
  /** Texts that no result shows. */
  secrets: string[];
  cookies: CookieJar;
  startedUs: number;
}

/** Returns the texts of the step's values, or why there are none. */
export async function extracted(
  step: Step,
  { response, body }: HttpAttempt,
): Promise<string[] | StepProblem> {
  if (step.extract.length === 0 || !response || !body) return [];
  try {
    return await extractTexts(step, { response, body });
  } catch (error) {
    if (error instanceof StepProblem) return error;
    throw error;
  }
}

/** Keeps the values for later steps. @returns them as a result lists them */
export function keepValues(
  step: Step,
  texts: readonly string[],
  { config, passed }: { config: MultistepConfig; passed: Passed },
): NonNullable<StepRequest["values"]> {
  const secretNames = secretNamesOf(config);
  return step.extract.map(({ name }, at) => {
    const text = texts[at] as string;
    const isSecret = secretNames.has(name) || looksSecret(text);
    passed.values.set(name, { name, text, isSecret });
    if (isSecret) passed.secrets.push(text);
    return { name, value: isSecret ? REDACTED : textStart(text, VALUE_SHOWN_MAX), isMasked: isSecret };
  });
}

/** Notes the secrets among a step's values, each of those that can be extracted, so that they are hidden. */
export async function noteSecrets(
  step: Step,
  attempt: HttpAttempt,
  { config, passed }: { config: MultistepConfig; passed: Passed },
): Promise<void> {
  const secretNames = secretNamesOf(config);
  for (const one of step.extract) {
    const texts = await extracted({ ...step, extract: [one] }, attempt);
    const [text] = texts instanceof StepProblem ? [] : texts;
    if (text !== undefined && (secretNames.has(one.name) || looksSecret(text))) passed.secrets.push(text);
  }
}

/** Basic credentials with a value in them travel in another form, which a target may repeat. */
export function noteBasicAuth({ auth }: FilledRequest, { secrets, values }: Passed): void {
  if (auth?.type === "basic" && values.size > 0)
    secrets.push(Buffer.from(`${auth.username}:${auth.password}`).toString("base64"));
}
