/** Routes of alert rules. */
import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { idSchema } from "../base/ids.ts";
import { cursorPageQuerySchema, nextCursorField } from "../base/list-page.ts";
import { successSchema } from "../base/success.ts";
import {
  alertExplanationSchema,
  alertPreviewSchema,
  previewAlertRuleSchema,
} from "../resources/alert-preview.ts";
import { alertRuleSchema, createAlertRuleSchema, updateAlertRuleSchema } from "../resources/alert-rule.ts";
import { baselineQuerySchema, checkBaselineSchema } from "../resources/baseline.ts";
import { recordAsCodeSchema } from "../resources/record-as-code.ts";
import { maskedQuery } from "./masked-query.ts";
import { defineRoute } from "./route.ts";

const tag = "Alerts";
const checkParams = z.object({ id: idSchema("check") });
const ruleParams = z.object({ alertId: idSchema("alertRule") });

/** Routes of alert rules, by operation. */
export const alertRuleRoutes = {
  listOfTeam: defineRoute({
    method: "GET",
    path: "/api/alerts",
    access: "reads",
    tag,
    summary:
      "List the alert rules of all checks, oldest first; those that SLOs and alert policies generate are left out",
    query: cursorPageQuerySchema,
    answer: z.object({ alerts: z.array(alertRuleSchema.omit({ channels: true })), ...nextCursorField }),
  }),
  listOfCheck: defineRoute({
    method: "GET",
    path: "/api/checks/:id/alerts",
    access: "reads",
    tag,
    summary: "List a check's alert rules, oldest first",
    params: checkParams,
    query: cursorPageQuerySchema.extend(maskedQuery),
    answer: z.object({ alerts: z.array(alertRuleSchema), ...nextCursorField }),
  }),
  getBaseline: defineRoute({
    method: "GET",
    path: "/api/checks/:id/baseline",
    access: "reads",
    tag,
    summary: "Tell what a metric of a check usually is, by location and hour of the week",
    description:
      "Baselines are kept for metrics that an alert rule of the check compares with them; an hour has one from 20 samples on.",
    params: checkParams,
    query: baselineQuerySchema,
    answer: checkBaselineSchema,
  }),
  create: defineRoute({
    method: "POST",
    path: "/api/checks/:id/alerts",
    access: "changes",
    tag,
    summary: "Create an alert rule",
    params: checkParams,
    body: createAlertRuleSchema,
    status: 201,
    answer: z.object({ id: z.string() }),
  }),
  preview: defineRoute({
    method: "POST",
    path: "/api/alerts/preview",
    access: "reads",
    tag,
    summary: "Tell how often a rule would have fired over the last days, without making it",
    description:
      "Stored results are judged one by one, by the code that judges new ones, against the locations that the check has now. One preview of a team works at a time; others wait, and beyond a few are refused with 429.",
    body: previewAlertRuleSchema,
    answer: alertPreviewSchema,
    otherAnswers: { 404: errorSchema },
  }),
  explain: defineRoute({
    method: "GET",
    path: "/api/alerts/:alertId/explain",
    access: "reads",
    tag,
    summary: "Tell which conditions of a rule hold now, and what is missing of the others",
    params: ruleParams,
    answer: alertExplanationSchema,
  }),
  get: defineRoute({
    method: "GET",
    path: "/api/alerts/:alertId",
    access: "reads",
    tag,
    summary: "Get an alert rule",
    params: ruleParams,
    answer: z.object({ alert: alertRuleSchema.omit({ channels: true }) }),
    versioned: "alert",
  }),
  getAsCode: defineRoute({
    method: "GET",
    path: "/api/alerts/:alertId/as-code",
    access: "reads",
    tag,
    summary: "Get an alert rule as the files of a config, under its monitor and with its channels",
    description:
      "Credentials are written as `{{secrets.NAME}}`. The monitor is written without its other rules, which a deploy of these files alone would delete.",
    params: ruleParams,
    answer: recordAsCodeSchema,
  }),
  update: defineRoute({
    method: "PUT",
    path: "/api/alerts/:alertId",
    access: "changes",
    tag,
    summary: "Change an alert rule",
    params: ruleParams,
    body: updateAlertRuleSchema,
    answer: successSchema,
    otherAnswers: { 409: errorSchema },
    acceptsIfMatch: true,
  }),
  delete: defineRoute({
    method: "DELETE",
    path: "/api/alerts/:alertId",
    access: "changes",
    tag,
    summary: "Delete an alert rule; what is open of it is resolved",
    params: ruleParams,
    answer: successSchema,
    otherAnswers: { 409: errorSchema },
    acceptsIfMatch: true,
  }),
};
