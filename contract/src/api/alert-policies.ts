/** Routes of alert policies. */
import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { idSchema } from "../base/ids.ts";
import { cursorPageQuerySchema, nextCursorField } from "../base/list-page.ts";
import { successSchema } from "../base/success.ts";
import {
  alertPolicyPreviewSchema,
  alertPolicySchema,
  createAlertPolicySchema,
  previewAlertPolicySchema,
  updateAlertPolicySchema,
} from "../resources/alert-policy.ts";
import { recordAsCodeSchema } from "../resources/record-as-code.ts";
import { defineRoute } from "./route.ts";

const tag = "Alerts";
const params = z.object({ id: idSchema("alertPolicy") });
const onePolicy = z.object({ policy: alertPolicySchema });

/** Routes of alert policies, by operation. */
export const alertPolicyRoutes = {
  list: defineRoute({
    method: "GET",
    path: "/api/alert-policies",
    access: "reads",
    tag,
    summary: "List the team's alert policies, newest first",
    query: cursorPageQuerySchema,
    answer: z.object({ policies: z.array(alertPolicySchema), ...nextCursorField }),
  }),
  create: defineRoute({
    method: "POST",
    path: "/api/alert-policies",
    access: "changes",
    tag,
    summary: "Create an alert policy: one alert rule for every check that has the labels, now and later",
    description:
      "Each check that has all the labels gets an alert rule that follows the policy (its `policyId` names it), within a second or two. A check that gets or loses a label gets or loses the rule; what is open of a rule that goes is resolved.",
    body: createAlertPolicySchema,
    status: 201,
    answer: onePolicy,
    otherAnswers: { 409: errorSchema },
  }),
  preview: defineRoute({
    method: "POST",
    path: "/api/alert-policies/preview",
    access: "reads",
    tag,
    summary: "Tell for which checks an alert policy would hold, without making it",
    body: previewAlertPolicySchema,
    answer: alertPolicyPreviewSchema,
  }),
  get: defineRoute({
    method: "GET",
    path: "/api/alert-policies/:id",
    access: "reads",
    tag,
    summary: "Get an alert policy",
    params,
    answer: onePolicy,
    versioned: "policy",
  }),
  getAsCode: defineRoute({
    method: "GET",
    path: "/api/alert-policies/:id/as-code",
    access: "reads",
    tag,
    summary: "Get an alert policy as the files of a config, with its channels",
    description: "Credentials are written as `{{secrets.NAME}}`.",
    params,
    answer: recordAsCodeSchema,
  }),
  update: defineRoute({
    method: "PUT",
    path: "/api/alert-policies/:id",
    access: "changes",
    tag,
    summary: "Change an alert policy and the rules that follow it",
    params,
    body: updateAlertPolicySchema,
    answer: onePolicy,
    otherAnswers: { 409: errorSchema },
    versioned: "policy",
    acceptsIfMatch: true,
  }),
  delete: defineRoute({
    method: "DELETE",
    path: "/api/alert-policies/:id",
    access: "changes",
    tag,
    summary: "Delete an alert policy with its rules; what is open of them is resolved",
    params,
    answer: successSchema,
    acceptsIfMatch: true,
  }),
};
