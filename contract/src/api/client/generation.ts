/** Client methods of what a language model writes from a description. */
import type { GenerateConfig, GeneratedConfig } from "../../config/generated-config.ts";
import type { generationRoutes } from "../generation.ts";
import type { CallRoute } from "./rest-connection.ts";

type Routes = typeof generationRoutes;

/** Returns the client methods of generation. */
export const generationMethods = (call: CallRoute) => ({
  /** Has a config proposed, with its plan. Takes up to two minutes; nothing is applied. */
  generateConfig: (body: GenerateConfig): Promise<GeneratedConfig> =>
    call<Routes["config"]>("POST", "/api/generate", { body }),
});
