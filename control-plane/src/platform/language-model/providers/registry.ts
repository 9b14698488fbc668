/** The providers of language models, loaded when one is asked for the first time. */
import type { LlmProvider } from "../settings.ts";
import type { OpenProvider } from "./open-provider.ts";

/** Returns the function that opens a model of the provider. */
export const PROVIDERS: Record<LlmProvider, () => Promise<{ open: OpenProvider }>> = {
  anthropic: () => import("./anthropic.ts"),
  openai: () => import("./openai.ts"),
};
