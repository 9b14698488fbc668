import { createAnthropic } from "@ai-sdk/anthropic";
import type { OpenProvider } from "./open-provider.ts";

/** Opens a model behind Anthropic's Messages API. */
export const open: OpenProvider = ({ model, apiKey, baseUrl }, fetch) =>
  // Without a key, a proxy that has one is asked.
  createAnthropic({ apiKey: apiKey ?? "none", baseURL: baseUrl, fetch })(model);
