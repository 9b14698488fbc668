/** Routes of API specs and of the generation of checks. */
import {
  DomainError,
  type GenerateBySpec,
  generateBySpecSchema,
  generateScriptSchema,
  parseInput,
  specRoutes,
} from "@svc/contract";
import type { FastifyReply, FastifySchemaCompiler } from "fastify";
import type * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { createSpec } from "./create-spec.ts";
import { deleteSpec } from "./delete-spec.ts";
import { createSpecTools, type SpecTools } from "./document.ts";
import { ConfirmationNeeded, generateBySpec, generateFromSpec } from "./generate-checks.ts";
import { getSpec } from "./get-spec.ts";
import { listSpecs } from "./list-specs.ts";
import { updateSpec } from "./update-spec.ts";
import {
  acceptUploads,
  type CreateSpecBody,
  createSpecValidator,
  UPLOAD_BODY_BYTES_MAX,
  type UpdateSpecBody,
  updateSpecValidator,
} from "./upload-body.ts";

/**
 * Registers the routes of API specs.
 * @param tools load and read documents; closed with the server
 */
export async function registerSpecRoutes(
  app: ApiApp,
  services: Services,
  tools: SpecTools = createSpecTools(services.config),
): Promise<void> {
  app.addHook("onClose", () => tools.engine.close());
  await app.register(async (scope: ApiApp) => registerUploadRoutes(scope, services, tools));

  serve(app, specRoutes.list, async (request) => ({ specs: await listSpecs(contextOf(services, request)) }));

  serve(app, specRoutes.get, async (request, reply) => {
    const { spec, operationsText } = await getSpec(contextOf(services, request), request.params);
    return reply
      .type("application/json; charset=utf-8")
      .send(`{"spec":${JSON.stringify(spec)},"operations":${operationsText}}`);
  });

  serve(app, specRoutes.delete, async (request) => {
    await deleteSpec(contextOf(services, request), request.params);
    return { success: true as const };
  });

  registerGenerationRoutes(app, services, tools);
}

/** Registers the routes whose bodies carry a document, as bytes (see upload-body.ts). */
function registerUploadRoutes(scope: ApiApp, services: Services, tools: SpecTools): void {
  acceptUploads(scope, tools.engine);

  serve(scope, specRoutes.create, {
    bodyLimit: UPLOAD_BODY_BYTES_MAX,
    validatorCompiler: createSpecValidator,
    handler: async (request) => {
      const body = request.body as unknown as CreateSpecBody;
      return { spec: await createSpec(contextOf(services, request), tools, body) };
    },
  });

  serve(scope, specRoutes.update, {
    bodyLimit: UPLOAD_BODY_BYTES_MAX,
    validatorCompiler: updateSpecValidator,
    handler: async (request) => {
      const { id } = request.params;
      const update = request.body as unknown as UpdateSpecBody;
      return { spec: await updateSpec(contextOf(services, request), tools, { id, update }) };
    },
  });
}

function registerGenerationRoutes(app: ApiApp, services: Services, tools: SpecTools): void {
  serve(app, specRoutes.generateChecks, async (request, reply) => {
    const input = { specId: request.params.id, plan: request.body };
    return answerGeneration(reply, () => generateFromSpec(contextOf(services, request), input));
  });

  serve(app, specRoutes.generate, {
    validatorCompiler: generationValidator,
    handler: async (request, reply) => {
      const { body } = request;
      if (!("spec" in body))
        throw new DomainError("unavailable", "Natural-language creation is not configured on this server");
      return answerGeneration(reply, () =>
        generateBySpec(contextOf(services, request), tools, body as GenerateBySpec),
      );
    },
  });
}

/** Chooses the mode by the presence of `spec`, so that the messages are those of one mode. */
const generationValidator: FastifySchemaCompiler<unknown> = () => (input) => {
  const isSpecMode = typeof input === "object" && input !== null && "spec" in input;
  const schema: z.ZodType = isSpecMode ? generateBySpecSchema : generateScriptSchema;
  const parsed = parseInput(schema, input ?? undefined);
  if (parsed.success) return { value: parsed.value };
  return { error: new DomainError("invalid", "Validation failed", { details: parsed.details }) };
};

async function answerGeneration(
  reply: FastifyReply,
  generate: () => Promise<unknown>,
): Promise<FastifyReply> {
  try {
    return reply.code(201).send(await generate());
  } catch (error) {
    if (!(error instanceof ConfirmationNeeded)) throw error;
    return reply.code(409).send({ error: error.message, newOperations: error.newOperations });
  }
}
