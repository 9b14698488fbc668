/** Routes of what a language model writes from a description. */
import { DomainError, generationRoutes } from "@svc/contract";
import type { ApiApp } from "../platform/http/api.ts";
import { contextOf, serve } from "../platform/http/serve.ts";
import { NO_LANGUAGE_MODEL } from "../platform/language-model/settings.ts";
import type { Services } from "../platform/services.ts";
import { generateConfig } from "./generate-config.ts";
import { type Generator, leftSignal } from "./generator.ts";

/** Registers the routes. @param generator undefined: no language model is set up, and each answer says so */
export function registerGenerationRoutes(
  app: ApiApp,
  services: Services,
  generator: Generator | undefined,
): void {
  serve(app, generationRoutes.config, {
    waitsElsewhere: true,
    handler: async (request, reply) => {
      if (!generator) throw new DomainError("unavailable", NO_LANGUAGE_MODEL);
      const ctx = contextOf(services, request);
      return generator.carryOut(ctx, leftSignal(reply), (parts) => generateConfig(ctx, request.body, parts));
    },
  });
}
