/** Routes of what the command line deployed, and the schema that editors check its config by. */
import {
  deployBaselineParams,
  deployBaselineSchema,
  notFound,
  putDeployBaselineSchema,
  successSchema,
  svcConfigJsonSchema,
} from "@svc/contract";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import type { Services } from "../../platform/services.ts";
import { putBaseline } from "./put-baseline.ts";
import { deleteBaseline, listBaselines } from "./store.ts";

const PATH = "/api/deploy-baselines";
const tags = ["Deploys"];

/** 50,000 resources of about 250 bytes each. */
const BASELINE_BYTES_MAX = 16 * 1024 * 1024;

export function registerDeployRoutes(app: ApiApp, services: Services): void {
  const configSchema = JSON.stringify(svcConfigJsonSchema());

  app.get(
    PATH,
    {
      schema: {
        tags,
        summary: "List what was deployed last, per project",
        response: { 200: z.object({ baselines: z.array(deployBaselineSchema) }) },
      },
    },
    async ({ caller }) => ({ baselines: await listBaselines(services.knex, caller.teamId) }),
  );

  app.put(
    `${PATH}/:project`,
    {
      bodyLimit: BASELINE_BYTES_MAX,
      schema: {
        tags,
        summary: "Replace what a project's last deploy left",
        params: deployBaselineParams,
        body: putDeployBaselineSchema,
        response: { 200: z.object({ baseline: deployBaselineSchema }) },
      },
    },
    async ({ caller, params, body }) => ({
      baseline: await putBaseline(services, caller.teamId, params.project, body.resources),
    }),
  );

  app.delete(
    `${PATH}/:project`,
    {
      schema: {
        tags,
        summary: "Forget a project's deploys; its resources stay",
        params: deployBaselineParams,
        response: { 200: successSchema },
      },
    },
    async ({ caller, params }) => {
      if (!(await deleteBaseline(services.knex, caller.teamId, params.project)))
        throw notFound("Deploy baseline");
      return { success: true as const };
    },
  );

  app.get(
    "/svc.config.schema.json",
    {
      config: { access: "public" },
      schema: {
        tags,
        summary: "JSON Schema of svc.config.yaml, for editors",
        response: { 200: { content: { "application/schema+json": { schema: z.string() } } } },
      },
    },
    async (_request, reply) => reply.type("application/schema+json").send(configSchema),
  );
}
