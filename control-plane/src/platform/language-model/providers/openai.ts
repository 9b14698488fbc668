import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { OpenProvider } from "./open-provider.ts";

/** Opens a model behind an endpoint that speaks OpenAI's protocol: `POST <base>/chat/completions`. */
export const open: OpenProvider = ({ model, apiKey, baseUrl }, fetch) =>
  createOpenAICompatible({ name: "openai", baseURL: baseUrl, fetch, ...(apiKey && { apiKey }) })(model);
