import { svcConfigJsonSchema } from "@svc/contract";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";

/** Registers the route of the JSON Schema by which editors check `svc.config.yaml`. */
export function registerConfigSchemaRoute(app: ApiApp): void {
  const configSchema = svcConfigJsonSchema();
  app.get(
    "/svc.config.schema.json",
    {
      config: { access: "public" },
      schema: {
        tags: ["Deploys"],
        summary: "JSON Schema of svc.config.yaml, for editors",
        response: {
          200: { content: { "application/schema+json": { schema: z.record(z.string(), z.unknown()) } } },
        },
      },
    },
    async (_request, reply) => reply.type("application/schema+json").send(configSchema),
  );
}
