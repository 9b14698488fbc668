/** Which language model the operator has set up, from the parsed variables. Pure. */

/** Names of the providers; `openai` stands for every endpoint that speaks its protocol, those on one's own machines included. */
export const LLM_PROVIDERS = ["anthropic", "openai"] as const;
/** Name of a provider. */
export type LlmProvider = (typeof LLM_PROVIDERS)[number];

/** The language model that the service asks. */
export interface LanguageModelSettings {
  provider: LlmProvider;
  /** The model's name, as its provider calls it. */
  model: string;
  apiKey: string | undefined;
  /** Base of the endpoint's paths, without a slash at its end. */
  baseUrl: string;
  /** Longest that one answer may take, retries included, ms. */
  timeoutMs: number;
  /** Most tokens, of questions and answers together, in a calendar month (UTC); undefined: no limit. */
  tokensPerMonthMax: number | undefined;
}

/** Endpoints of the vendors. */
const BASE_URLS: Record<LlmProvider, string> = {
  anthropic: "https://api.anthropic.com/v1",
  openai: "https://api.openai.com/v1",
};

/** The variables' parsed values; undefined: not set. */
export interface LlmVariables {
  llmProvider?: LlmProvider | undefined;
  llmModel?: string | undefined;
  llmApiKey?: string | undefined;
  llmBaseUrl?: string | undefined;
  llmTimeoutMs: number;
  llmTokensPerMonthMax?: number | undefined;
}

/**
 * Returns the model that the variables name; undefined where they name none.
 * @returns `problem`: a sentence that names the variable that is missing
 */
export function languageModelSettings({
  llmProvider: provider,
  llmModel: model,
  llmApiKey: apiKey,
  llmBaseUrl: baseUrl,
  llmTimeoutMs: timeoutMs,
  llmTokensPerMonthMax: tokensPerMonthMax,
}: LlmVariables): LanguageModelSettings | { problem: string } | undefined {
  if (provider === undefined) {
    const names = {
      SVC_LLM_MODEL: model,
      SVC_LLM_API_KEY: apiKey,
      SVC_LLM_BASE_URL: baseUrl,
      SVC_LLM_TOKENS_PER_MONTH_MAX: tokensPerMonthMax,
    };
    const set = Object.entries(names).filter(([, value]) => value !== undefined);
    if (set.length === 0) return undefined;
    return { problem: `SVC_LLM_PROVIDER: required with ${set.map(([name]) => name).join(", ")}` };
  }
  if (model === undefined)
    return { problem: "SVC_LLM_MODEL: required with SVC_LLM_PROVIDER; set both or neither" };
  if (apiKey === undefined && baseUrl === undefined)
    return { problem: `SVC_LLM_API_KEY: required to ask ${new URL(BASE_URLS[provider]).hostname}` };
  return {
    provider,
    model,
    apiKey,
    baseUrl: (baseUrl ?? BASE_URLS[provider]).replace(/\/+$/, ""),
    timeoutMs,
    tokensPerMonthMax,
  };
}

/** Says to a caller that there is no language model, and to whom to turn. */
export const NO_LANGUAGE_MODEL =
  "Natural-language creation is not configured on this server; its operator sets SVC_LLM_PROVIDER, SVC_LLM_MODEL and SVC_LLM_API_KEY";
