import type { LanguageModel as SdkModel } from "ai";
import type { LanguageModelSettings } from "../settings.ts";

/** Opens a model of the AI SDK that sends its requests by this `fetch`. */
export type OpenProvider = (settings: LanguageModelSettings, fetch: typeof globalThis.fetch) => SdkModel;
