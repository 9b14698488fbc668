/** Routes of API specs and of the generation of checks. */
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  checkSchema,
  DomainError,
  type GenerateBySpec,
  type GeneratedChecks,
  type GenerateScript,
  generateBySpecSchema,
  generateScriptSchema,
  parseInput,
  specRoutes,
} from "@svc/contract";
import type { FastifyReply, FastifySchemaCompiler } from "fastify";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import { answerWhole } from "../../platform/http/record-list.ts";
import { contextOf, type ServedRequest, serve } from "../../platform/http/serve.ts";
import { NO_LANGUAGE_MODEL } from "../../platform/language-model/settings.ts";
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

/** Answers a request for a script, the other mode of the route that generates checks. */
export type WriteScript = (
  request: Parameters<typeof contextOf>[1],
  reply: FastifyReply,
  input: GenerateScript,
) => Promise<FastifyReply>;

/** The parts that the routes of API specs call. */
export interface SpecRouteParts {
  /** Load and read documents; closed with the server. */
  tools?: SpecTools;
  /** Absent: there are no scripts from descriptions. */
  writeScript?: WriteScript;
}

/** Registers the routes of API specs. */
export async function registerSpecRoutes(
  app: ApiApp,
  services: Services,
  { tools = createSpecTools(services.config), writeScript }: SpecRouteParts = {},
): Promise<void> {
  app.addHook("onClose", () => tools.engine.close());
  await app.register(async (scope: ApiApp) => registerUploadRoutes(scope, services, tools));

  serve(app, specRoutes.list, async (request, reply) => {
    const context = contextOf(services, request);
    return answerWhole(reply, { teamId: context.teamId, query: request.query }, listSpecs(context));
  });

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

  registerGenerationRoutes(app, services, { tools, writeScript });
}

/** Registers the routes whose bodies carry a document, as bytes (see upload-body.ts). */
function registerUploadRoutes(scope: ApiApp, services: Services, tools: SpecTools): void {
  acceptUploads(scope, tools.engine);

  serve(scope, specRoutes.create, {
    bodyLimit: UPLOAD_BODY_BYTES_MAX,
    waitsElsewhere: true,
    validatorCompiler: createSpecValidator,
    handler: async (request: ServedRequest<typeof specRoutes.create, CreateSpecBody>) => {
      return { spec: await createSpec(contextOf(services, request), tools, request.body) };
    },
  });

  serve(scope, specRoutes.update, {
    waitsElsewhere: true,
    bodyLimit: UPLOAD_BODY_BYTES_MAX,
    validatorCompiler: updateSpecValidator,
    handler: async (request: ServedRequest<typeof specRoutes.update, UpdateSpecBody>) => {
      const { params, body: update } = request;
      return { spec: await updateSpec(contextOf(services, request), tools, { id: params.id, update }) };
    },
  });
}

function registerGenerationRoutes(
  app: ApiApp,
  services: Services,
  { tools, writeScript }: { tools: SpecTools; writeScript: WriteScript | undefined },
): void {
  serve(app, specRoutes.generateChecks, async (request, reply) => {
    const input = { specId: request.params.id, plan: request.body };
    return answerGeneration(reply, () => generateFromSpec(contextOf(services, request), input));
  });

  serve(app, specRoutes.generate, {
    waitsElsewhere: true,
    validatorCompiler: generationValidator,
    handler: async (request, reply) => {
      const { body } = request;
      if (!("spec" in body)) return (writeScript ?? refuseScripts)(request, reply, body);
      return answerGeneration(reply, () =>
        generateBySpec(contextOf(services, request), tools, body as GenerateBySpec),
      );
    },
  });
}

const refuseScripts: WriteScript = async () => {
  throw new DomainError("unavailable", NO_LANGUAGE_MODEL);
};

/**
 * Validates a body by the schema of its mode: by spec when the body has `spec`, else as a request for a script. A union
 * of both schemas would report the mistakes of both modes.
 */
const generationValidator: FastifySchemaCompiler<unknown> = () => (input) => {
  const isSpecMode = typeof input === "object" && input !== null && "spec" in input;
  const schema: z.ZodType = isSpecMode ? generateBySpecSchema : generateScriptSchema;
  const parsed = parseInput(schema, input ?? undefined);
  if (parsed.success) return { value: parsed.value };
  return { error: new DomainError("invalid", "Validation failed", { details: parsed.details }) };
};

async function answerGeneration(
  reply: FastifyReply,
  generate: () => Promise<GeneratedChecks>,
): Promise<FastifyReply> {
  try {
    const text = await textOfGenerated(await generate());
    return reply.code(201).type("application/json; charset=utf-8").send(text);
  } catch (error) {
    if (!(error instanceof ConfirmationNeeded)) throw error;
    return reply.code(409).send({ error: error.message, newOperations: error.newOperations });
  }
}

/** Returns the answer as JSON. A spec yields thousands of checks; other requests get a turn between any two of them. */
async function textOfGenerated({ created, ...rest }: GeneratedChecks): Promise<string> {
  const texts: string[] = [];
  for (const check of created) {
    texts.push(JSON.stringify(z.encode(checkSchema, check)));
    await nextTurn();
  }
  return `{"created":[${texts.join(",")}],${JSON.stringify(rest).slice(1)}`;
}
