/** Routes of incidents: reading for callers of the team, the lifecycle for signed-in people only. */

import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { idSchema } from "../base/ids.ts";
import { nextCursorField } from "../base/list-page.ts";
import { successSchema } from "../base/success.ts";
import { alertInstanceSummarySchema } from "../resources/alert-instance.ts";
import {
  addIncidentNoteSchema,
  hypothesisWordingSchema,
  INCIDENT_STATES,
  incidentEventSchema,
  incidentNoteSchema,
  incidentSchema,
  incidentsQuerySchema,
} from "../resources/incident.ts";
import { incidentPolicySchema, setIncidentPolicySchema } from "../resources/incident-policy.ts";
import { linkTokenSchema } from "../resources/session.ts";
import { defineRoute } from "./route.ts";

const tag = "Incidents";
const params = z.object({ id: idSchema("incident") });

/** A step of the lifecycle that a person takes. */
const lifecycleRoute = <const Action extends "acknowledge" | "close" | "reopen">(
  action: Action,
  summary: string,
  description?: string,
) =>
  defineRoute({
    method: "POST",
    path: `/api/incidents/:id/${action}`,
    access: "incident_session",
    tag,
    summary,
    ...(description !== undefined && { description }),
    params,
    answer: z.object({ success: z.literal(true), state: z.enum(INCIDENT_STATES) }),
    otherAnswers: { 409: errorSchema },
  });

/** Routes of incidents, by operation. */
export const incidentRoutes = {
  list: defineRoute({
    method: "GET",
    path: "/api/incidents",
    access: "reads",
    tag,
    summary: "List the team's incidents, newest first",
    query: incidentsQuerySchema,
    answer: z.object({
      incidents: z.array(incidentSchema),
      limit: z.number(),
      offset: z.number(),
      ...nextCursorField,
    }),
  }),
  get: defineRoute({
    method: "GET",
    path: "/api/incidents/:id",
    access: "reads",
    tag,
    summary: "Get an incident with what happened to it and its alerts",
    params,
    answer: z.object({
      incident: incidentSchema,
      events: z.array(incidentEventSchema),
      alerts: z.array(alertInstanceSummarySchema),
      wording: hypothesisWordingSchema
        .nullable()
        .describe(
          "The hypothesis in the words of a language model; null: none is set up, or it has not worded this hypothesis.",
        ),
    }),
  }),
  acknowledge: lifecycleRoute("acknowledge", "Acknowledge an incident"),
  close: lifecycleRoute("close", "Close an incident"),
  reopen: lifecycleRoute(
    "reopen",
    "Reopen a resolved or closed incident",
    "409 when it was folded into another, or is the incident of a location that can't reach its targets and has another by now; " +
      "the error names that one.",
  ),
  acknowledgeByLink: defineRoute({
    method: "POST",
    path: "/acknowledge",
    access: "public",
    tag,
    summary: "Acknowledge an incident by the link in a message of a channel",
    description:
      "The link itself, `GET /acknowledge?token=`, shows a page with a button that does this, and changes nothing. " +
      "Whether it was done is said by the page that the answer leads to.",
    body: linkTokenSchema,
    status: 303,
    answer: z.null().describe("Back to the page of the link"),
  }),
  getPolicy: defineRoute({
    method: "GET",
    path: "/api/incident-policy",
    access: "reads",
    tag,
    summary: "Get the steps that follow when nobody acknowledges an incident",
    answer: z.object({ incidentPolicy: incidentPolicySchema }),
    versioned: "incidentPolicy",
  }),
  setPolicy: defineRoute({
    method: "PUT",
    path: "/api/incident-policy",
    access: "changes",
    tag,
    summary: "Set the steps that follow when nobody acknowledges an incident",
    body: setIncidentPolicySchema,
    answer: z.object({ incidentPolicy: incidentPolicySchema }),
    acceptsIfMatch: true,
  }),
  deletePolicy: defineRoute({
    method: "DELETE",
    path: "/api/incident-policy",
    access: "changes",
    tag,
    summary: "Remove the incident policy",
    answer: successSchema,
    acceptsIfMatch: true,
  }),
  addNote: defineRoute({
    method: "POST",
    path: "/api/incidents/:id/notes",
    access: "incident_session",
    tag,
    summary: "Add a note to an incident",
    params,
    body: addIncidentNoteSchema,
    status: 201,
    answer: z.object({ note: incidentNoteSchema }),
  }),
};
