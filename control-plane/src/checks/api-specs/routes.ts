/** Routes of API specs and of the generation of checks. */
import {
  confirmationNeededSchema,
  createSpecSchema,
  DomainError,
  errorSchema,
  type GenerateBySpec,
  generateBySpecSchema,
  generateChecksSchema,
  generatedChecksSchema,
  generateFromSpecSchema,
  generateScriptSchema,
  parseInput,
  specOperationSchema,
  specSchema,
  successSchema,
  updateSpecSchema,
} from "@svc/contract";
import type { FastifyReply, FastifySchemaCompiler } from "fastify";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import { authorOf } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { createSpec } from "./create-spec.ts";
import { deleteSpec } from "./delete-spec.ts";
import { createSpecTools, type SpecTools } from "./document.ts";
import { ConfirmationNeeded, generateBySpec, generateFromSpec } from "./generate-checks.ts";
import { getSpec, listSpecs } from "./get-spec.ts";
import { updateSpec } from "./update-spec.ts";
import {
  acceptUploads,
  type CreateSpecBody,
  createSpecValidator,
  UPLOAD_BODY_BYTES_MAX,
  type UpdateSpecBody,
  updateSpecValidator,
} from "./upload-body.ts";

const tags = ["Specs"];
const idParams = z.object({ id: z.string() });
const oneSpec = z.object({ spec: specSchema });

/** @param tools how documents are loaded and read; closed with the server */
export async function registerSpecRoutes(
  app: ApiApp,
  services: Services,
  tools: SpecTools = createSpecTools(services.config),
): Promise<void> {
  app.addHook("onClose", () => tools.engine.close());
  await app.register(async (scope: ApiApp) => registerUploadRoutes(scope, services, tools));

  app.get(
    "/api/specs",
    {
      schema: {
        tags,
        summary: "List the team's API specs, newest first",
        response: { 200: z.object({ specs: z.array(specSchema) }) },
      },
    },
    async ({ caller }) => ({ specs: await listSpecs(services, caller.teamId) }),
  );

  app.get(
    "/api/specs/:id",
    {
      schema: {
        tags,
        summary: "Get an API spec with its operations",
        params: idParams,
        response: { 200: oneSpec.extend({ operations: z.array(specOperationSchema) }) },
      },
    },
    async ({ caller, params }) => getSpec(services, caller.teamId, params.id),
  );

  app.delete(
    "/api/specs/:id",
    {
      schema: {
        tags,
        summary: "Delete an API spec that no assertion uses",
        params: idParams,
        response: { 200: successSchema, 409: errorSchema },
      },
    },
    async (request) => {
      const { caller, params } = request;
      await deleteSpec(services, caller.teamId, params.id, authorOf(request));
      return { success: true as const };
    },
  );

  registerGenerationRoutes(app, services, tools);
}

function registerUploadRoutes(scope: ApiApp, services: Services, tools: SpecTools): void {
  acceptUploads(scope, tools.engine);

  scope.post(
    "/api/specs",
    {
      bodyLimit: UPLOAD_BODY_BYTES_MAX,
      validatorCompiler: createSpecValidator,
      schema: {
        tags,
        summary: "Store an OpenAPI 3.0 or 3.1 document, uploaded or fetched from a URL",
        body: createSpecSchema,
        response: { 201: oneSpec, 409: errorSchema },
      },
    },
    async (request, reply) => {
      const body = request.body as unknown as CreateSpecBody;
      const spec = await createSpec(services, tools, request.caller.teamId, body, authorOf(request));
      return reply.code(201).send({ spec });
    },
  );

  scope.put(
    "/api/specs/:id",
    {
      bodyLimit: UPLOAD_BODY_BYTES_MAX,
      validatorCompiler: updateSpecValidator,
      schema: {
        tags,
        summary: "Rename an API spec or replace its document; an empty body fetches its URL again",
        params: idParams,
        body: updateSpecSchema,
        response: { 200: oneSpec, 409: errorSchema },
      },
    },
    async (request) => {
      const { caller, params } = request;
      const body = request.body as unknown as UpdateSpecBody;
      return { spec: await updateSpec(services, tools, caller.teamId, params.id, body, authorOf(request)) };
    },
  );
}

function registerGenerationRoutes(app: ApiApp, services: Services, tools: SpecTools): void {
  const response = {
    201: generatedChecksSchema,
    409: confirmationNeededSchema,
  };

  app.post(
    "/api/specs/:id/generate-checks",
    {
      schema: {
        tags,
        summary: "Generate a check for each operation of an API spec that has none",
        params: idParams,
        body: generateFromSpecSchema,
        response,
      },
    },
    async (request, reply) => {
      const { caller, params, body } = request;
      return answerGeneration(reply, () =>
        generateFromSpec(services, caller.teamId, params.id, body, authorOf(request)),
      );
    },
  );

  app.post(
    "/api/checks/generate",
    {
      validatorCompiler: generationValidator,
      schema: {
        tags: ["Checks"],
        summary: "Generate checks from an API spec, or a browser script from a description",
        body: generateChecksSchema,
        response: { ...response, 503: errorSchema },
      },
    },
    async (request, reply) => {
      const { caller, body } = request;
      if (!("spec" in body))
        throw new DomainError("unavailable", "Natural-language creation is not configured on this server");
      return answerGeneration(reply, () =>
        generateBySpec(services, tools, caller.teamId, body as GenerateBySpec, authorOf(request)),
      );
    },
  );
}

/** The mode follows from the presence of `spec`, so that the messages are those of one mode. */
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
