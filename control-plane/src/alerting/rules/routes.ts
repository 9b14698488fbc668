/** Routes of alert rules. Those of instances are in instance-routes.ts. */
import {
  alertRuleSchema,
  createAlertRuleSchema,
  errorSchema,
  idSchema,
  successSchema,
  updateAlertRuleSchema,
} from "@svc/contract";
import * as z from "zod";
import type { ApiApp } from "../../platform/http/api.ts";
import { authorOf } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import { registerInstanceRoutes } from "../instances/routes.ts";
import { createRule } from "./create-rule.ts";
import { deleteRule } from "./delete-rule.ts";
import { listRules, listTeamRules } from "./list-rules.ts";
import { updateRule } from "./update-rule.ts";

const tags = ["Alerts"];
const checkParams = z.object({ id: idSchema("check") });
const ruleParams = z.object({ alertId: z.string() });

export function registerAlertRoutes(app: ApiApp, services: Services): void {
  registerInstanceRoutes(app, services);

  app.get(
    "/api/alerts",
    {
      schema: {
        tags,
        summary: "List the alert rules of all checks, oldest first; those that SLOs generate are left out",
        response: { 200: z.object({ alerts: z.array(alertRuleSchema.omit({ channels: true })) }) },
      },
    },
    async ({ caller }) => ({ alerts: await listTeamRules(services, caller.teamId) }),
  );

  app.get(
    "/api/checks/:id/alerts",
    {
      schema: {
        tags,
        summary: "List a check's alert rules, oldest first",
        params: checkParams,
        response: { 200: z.object({ alerts: z.array(alertRuleSchema) }) },
      },
    },
    async ({ caller, params }) => ({ alerts: await listRules(services, caller.teamId, params.id) }),
  );

  app.post(
    "/api/checks/:id/alerts",
    {
      schema: {
        tags,
        summary: "Create an alert rule",
        params: checkParams,
        body: createAlertRuleSchema,
        response: { 201: z.object({ id: z.string() }) },
      },
    },
    async (request, reply) => {
      const { caller, params, body } = request;
      const id = await createRule(services, caller.teamId, params.id, body, authorOf(request));
      return reply.code(201).send({ id });
    },
  );

  app.put(
    "/api/alerts/:alertId",
    {
      schema: {
        tags,
        summary: "Change an alert rule",
        params: ruleParams,
        body: updateAlertRuleSchema,
        response: { 200: successSchema, 409: errorSchema },
      },
    },
    async (request) => {
      const { caller, params, body } = request;
      await updateRule(services, caller.teamId, params.alertId, body, authorOf(request));
      return { success: true as const };
    },
  );

  app.delete(
    "/api/alerts/:alertId",
    {
      schema: {
        tags,
        summary: "Delete an alert rule; what is open of it is resolved",
        params: ruleParams,
        response: { 200: successSchema, 409: errorSchema },
      },
    },
    async (request) => {
      const { caller, params } = request;
      await deleteRule(services, caller.teamId, params.alertId, authorOf(request));
      return { success: true as const };
    },
  );
}
