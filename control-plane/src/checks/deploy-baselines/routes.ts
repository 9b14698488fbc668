import { DomainError, deployBaselineRoutes, notFound } from "@svc/contract";
import type { FastifySchemaCompiler } from "fastify";
import type * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import { invalidBody } from "../../platform/http/body.ts";
import { answerList, parseCursor } from "../../platform/http/list-answer.ts";
import { contextOf, type ServedRequest, serve } from "../../platform/http/serve.ts";
import { validatorCompiler } from "../../platform/http/validator-compiler.ts";
import type { Services } from "../../platform/services.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { JobOverrun, TeamQueueFull, threadPool } from "../../platform/threads/thread-pool.ts";
import { listProjects } from "../projects/list-projects.ts";
import { baselineJob } from "./baseline-job.ts";
import { putBaseline } from "./put-baseline.ts";
import { type BaselineText, deleteBaseline, listBaselines } from "./store.ts";

/** Largest body: 50,000 resources of about 250 bytes each. */
const BASELINE_BYTES_MAX = 16 * 1024 * 1024;

/** Registers the routes of deploy baselines. */
export function registerDeployBaselineRoutes(app: ApiApp, services: Services): void {
  void app.register(async (scope: ApiApp) => registerPutRoute(scope, services));

  serve(app, deployBaselineRoutes.list, async (request, reply) => {
    const { limit, cursor } = request.query;
    const { teamId, services: reading } = contextOf(services, request);
    return answerList<BaselineText>(reply, {
      teamId,
      name: "baselines",
      source: {
        read: (after) => listBaselines(reading.knex, teamId, after?.[0] as string | undefined),
        textOf: ({ project, resourcesText, updatedAt }) =>
          `{"project":${JSON.stringify(project)},"resources":${resourcesText},"updatedAt":${JSON.stringify(updatedAt)}}`,
        cursorOf: ({ project }) => [project],
      },
      page: { limit, after: parseCursor(cursor, ["string"]) },
    });
  });

  serve(app, deployBaselineRoutes.listProjects, async (request) => ({
    projects: await listProjects(contextOf(services, request)),
  }));

  serve(app, deployBaselineRoutes.delete, async ({ caller, params }) => {
    if (!(await deleteBaseline(services.knex, caller.teamId, params.project)))
      throw notFound("Deploy baseline");
    return { success: true as const };
  });
}

/** Registers the route that takes up to 16 MiB: nothing on the event loop parses, validates or serializes them. */
function registerPutRoute(scope: ApiApp, services: Services): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) =>
    done(null, body),
  );
  serve(scope, deployBaselineRoutes.put, {
    bodyLimit: BASELINE_BYTES_MAX,
    waitsElsewhere: true,
    validatorCompiler: bodyAsBytes,
    handler: async (request: ServedRequest<typeof deployBaselineRoutes.put, Buffer | undefined>, reply) => {
      const { project } = request.params;
      const context = contextOf(services, request);
      const resources = await resourcesOf(context, request.body);
      const { updatedAt } = await putBaseline(context, { project, resources: resources.toString() });
      const head = `{"baseline":{"project":${JSON.stringify(project)},"updatedAt":"${updatedAt.toISOString()}","resources":`;
      return reply
        .type("application/json; charset=utf-8")
        .send(Buffer.concat([Buffer.from(head), resources, Buffer.from("}}")]));
    },
  });
}

/** Leaves the body to the handler, and validates the other parts of the request. */
const bodyAsBytes: FastifySchemaCompiler<unknown> = (part) =>
  part.httpPart === "body"
    ? (value) => ({ value })
    : validatorCompiler({ ...part, schema: part.schema as z.ZodType });

/**
 * Returns the resources of a body, as JSON text.
 * @throws DomainError `invalid`, or `unavailable` while too many bodies of the team are being read
 */
async function resourcesOf({ teamId }: TeamContext, body: Buffer = Buffer.alloc(0)): Promise<Buffer> {
  // A copy of its own, because small buffers share memory, which can't be moved.
  const input = new Uint8Array(body);
  const parsed = await threadPool
    .run(baselineJob, { teamId, input, transfer: [input.buffer] })
    .catch((error) => {
      if (error instanceof JobOverrun) throw invalidBody("the body takes too long to read");
      if (!(error instanceof TeamQueueFull)) throw error;
      throw new DomainError("unavailable", "Too many baselines of the team are being read", {
        retryAfterSeconds: 2,
        cause: error,
      });
    });
  if ("problem" in parsed) throw invalidBody(parsed.problem);
  if ("details" in parsed) throw new DomainError("invalid", "Validation failed", { details: parsed.details });
  return Buffer.from(parsed.resources.buffer, parsed.resources.byteOffset, parsed.resources.byteLength);
}
