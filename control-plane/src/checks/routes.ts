/** Routes of checks. */
import {
  checkSchema,
  createCheckSchema,
  resultSchema,
  successSchema,
  updateCheckSchema,
} from "@svc/contract";
import * as z from "zod";
import { authorOf } from "../accounts/change-log/author.ts";
import type { ApiApp } from "../platform/http/api.ts";
import type { Services } from "../platform/services.ts";
import { listResults } from "../results/list-results.ts";
import { createCheck } from "./create-check.ts";
import { deleteCheck } from "./delete-check.ts";
import { getCheckRow, listChecks } from "./get-check.ts";
import { checkFromRow } from "./row.ts";
import { triggerCheck } from "./trigger-check.ts";
import { CHECK_TRIGGERS_MAX, TEAM_RUNS_MAX } from "./trigger-limit.ts";
import { updateCheck } from "./update-check.ts";

/** Results that come with a check. */
const RECENT_RESULTS = 50;

const tags = ["Checks"];
const idParams = z.object({ id: z.string() });
const oneCheck = z.object({ check: checkSchema });

export function registerCheckRoutes(app: ApiApp, services: Services): void {
  app.get(
    "/api/checks",
    {
      schema: {
        tags,
        summary: "List the team's checks, newest first",
        response: { 200: z.object({ checks: z.array(checkSchema) }) },
      },
    },
    async ({ caller }) => ({ checks: await listChecks(services, caller.teamId) }),
  );

  app.post(
    "/api/checks",
    {
      schema: {
        tags,
        summary: "Create a check; an enabled one runs at once",
        body: createCheckSchema,
        response: { 201: oneCheck },
      },
    },
    async (request, reply) => {
      const { caller, body } = request;
      const check = await createCheck(services, caller.teamId, body, authorOf(request));
      return reply.code(201).send({ check });
    },
  );

  app.get(
    "/api/checks/:id",
    {
      schema: {
        tags,
        summary: "Get a check with its 50 newest results",
        params: idParams,
        response: { 200: oneCheck.extend({ results: z.array(resultSchema) }) },
      },
    },
    async ({ caller, params }) => {
      const row = await getCheckRow(services.knex, caller.teamId, params.id);
      const page = { limit: RECENT_RESULTS, offset: 0, withDetail: false };
      return { check: checkFromRow(services.secrets, row), results: await listResults(services, row, page) };
    },
  );

  app.put(
    "/api/checks/:id",
    {
      schema: {
        tags,
        summary: "Change a check",
        params: idParams,
        body: updateCheckSchema,
        response: { 200: oneCheck },
      },
    },
    async (request) => {
      const { caller, params, body } = request;
      return { check: await updateCheck(services, caller.teamId, params.id, body, authorOf(request)) };
    },
  );

  app.delete(
    "/api/checks/:id",
    {
      schema: {
        tags,
        summary: "Delete a check and its results",
        params: idParams,
        response: { 200: successSchema },
      },
    },
    async (request) => {
      const { caller, params } = request;
      await deleteCheck(services, caller.teamId, params.id, authorOf(request));
      return { success: true as const };
    },
  );

  app.post(
    "/api/checks/:id/trigger",
    {
      schema: {
        tags,
        summary: "Run a check now, in each of its locations",
        description: `Beyond ${CHECK_TRIGGERS_MAX} triggers of a check in 10 s, or ${TEAM_RUNS_MAX} ordered runs of a team in a minute (one per triggered check and location), 429 with Retry-After.`,
        params: idParams,
        response: { 200: z.object({ triggered: z.literal(true), locations: z.number() }) },
      },
    },
    async ({ caller, params }) => {
      const locations = await triggerCheck(services, caller.teamId, params.id);
      return { triggered: true as const, locations };
    },
  );
}
