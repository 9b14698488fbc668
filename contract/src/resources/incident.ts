/** The incident resource: correlated alerts of a team, with a lifecycle of its own. */
import * as z from "zod";
import { actorNameSchema } from "../base/actor-name.ts";
import { idSchema } from "../base/ids.ts";
import { pageQuerySchema } from "../base/list-page.ts";
import { closedObject } from "../base/objects.ts";
import { severitySchema } from "../base/severity.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { type CheckType, checkTypes } from "../checks/registry.ts";
import { incidentEventTypes } from "../events/incident.ts";

/**
 * States of an incident: open -> acknowledged -> resolved (all its alerts are over and the cool-down has passed) -> closed;
 * reopening leads back to open.
 */
export const INCIDENT_STATES = ["open", "acknowledged", "resolved", "closed"] as const;
/** State of an incident. */
export type IncidentState = (typeof INCIDENT_STATES)[number];

/** Number of member ids that events and answers list at most; `memberCount` counts all members. */
export const INCIDENT_MEMBERS_LISTED = 500;
/** Longest note of an incident, characters. */
const INCIDENT_NOTE_LENGTH_MAX = 10_000;

/** Schema of the probable cause of an incident, derived from the facts known about its members. */
const hypothesisSchema = z
  .object({
    summary: z.string(),
    confidence: z.number().min(0).max(1).describe("From 0 to 1."),
    ruledIn: z
      .array(z.string())
      .describe("What speaks for the summary or may have caused it: `<dimension>: <fact>`."),
    ruledOut: z.array(z.string()).describe("What the facts exclude: `<dimension>: <fact>`."),
    correlationDimensionsMatched: z
      .array(z.string())
      .describe(
        "What its alerts share, e.g. host:api.example.com. Of a single alert: what others would have to share.",
      ),
    scope: z
      .enum(["external_symptoms_only", "external_symptoms_and_changes"])
      .describe(
        "Whether only what checks see was known, or also a change: deployment, certificate, maintenance.",
      ),
  })
  .meta({ id: "IncidentHypothesis" });
/** The likely cause of an incident, with its evidence. */
export type Hypothesis = z.infer<typeof hypothesisSchema>;

/** Schema of a hypothesis in the words of a language model, each sentence with the facts that bear it out. */
export const hypothesisWordingSchema = z
  .object({
    claims: z.array(
      z.object({
        text: z.string(),
        facts: z.array(z.int().min(0)).min(1).describe("What it rests on, as indexes into `facts`."),
      }),
    ),
    facts: z.array(z.string()).describe("What the model was given, all of it from the hypothesis."),
    model: z.string(),
    generatedAt: timestampSchema,
  })
  .meta({ id: "IncidentHypothesisWording" });
/** A hypothesis in the words of a language model. */
export type HypothesisWording = z.infer<typeof hypothesisWordingSchema>;

/** Returns the name of the source for the checks of a type: `synthetic_http`. */
export function incidentSourceOf<Type extends CheckType>(type: Type): `synthetic_${Type}` {
  return `synthetic_${type}`;
}

/** Name of the field of {@link observationsSchema} that holds the observations of the checks of one type. */
export type ObservationBlock<Type extends CheckType = CheckType> = `synthetic${Capitalize<Type>}`;

/** Returns the name of that field for the checks of a type: `syntheticHttp`. */
export function observationBlockOf<Type extends CheckType>(type: Type): ObservationBlock<Type> {
  return `synthetic${type.charAt(0).toUpperCase()}${type.slice(1)}` as ObservationBlock<Type>;
}

/** Schema of the observations of the checks of one type; all sources share it. */
const sourceObservationSchema = z
  .object({
    affectedChecks: z.array(z.object({ checkId: idSchema("check"), checkName: z.string() })),
    symptomWindow: z.object({ startedAt: timestampSchema }),
    errorSignature: z.object({
      httpStatusCodes: z.array(z.number()),
      errorCategories: z.array(z.string()),
      locationsAffected: z.array(z.string()),
      sampleMessages: z.array(z.string()),
    }),
    sharedFailingDomains: z.array(z.string()),
  })
  .meta({ id: "IncidentSourceObservation" });
/** Observations of one check type about the failures of an incident. */
export type SourceObservation = z.infer<typeof sourceObservationSchema>;

const observationBlocks = Object.fromEntries(
  checkTypes.types.map((type) => [observationBlockOf(type), sourceObservationSchema.optional()]),
) as Record<ObservationBlock, z.ZodOptional<typeof sourceObservationSchema>>;

/** Schema of the observations of an incident, by the check type that they come from. */
const observationsSchema = z
  .object({
    sources: z.array(z.enum(checkTypes.types.map(incidentSourceOf))),
    ...observationBlocks,
  })
  .meta({ id: "IncidentObservations" });
/** Observations about the failures of an incident, over all its check types. */
export type IncidentObservations = z.infer<typeof observationsSchema>;

/** Schema of the author of an incident event: a user, the readers of a channel, or the service itself. */
const incidentActorSchema = z.object({
  type: z
    .enum(["system", "user", "channel"])
    .describe("channel: somebody used the link in a message of the channel."),
  id: z.string().nullable().describe("Of the user or the channel; null: the service itself."),
  name: actorNameSchema.optional(),
});
/** Who caused an event of an incident: a person, somebody who reads a channel, or the service itself. */
export type IncidentActor = z.infer<typeof incidentActorSchema>;

/** Schema of an event's payload: the incident at the time of the event, and the fields of the event's type. */
const incidentEventPayloadSchema = z
  .object({
    eventType: z.enum(incidentEventTypes.types),
    observations: observationsSchema,
    hypothesis: hypothesisSchema,
    title: z.string(),
    severity: severitySchema,
    fingerprintHash: z.string(),
    memberAlertInstanceIds: z
      .array(idSchema("alertInstance"))
      .describe(`The oldest ${INCIDENT_MEMBERS_LISTED} at most.`),
    memberCount: z.number(),
    openMemberCount: z.number(),
    recurrenceOf: z.array(idSchema("incident")),
    attachedAlertInstanceIds: z.array(z.string()).optional().describe("alert_attached: the new ones."),
    previousSeverity: severitySchema.optional().describe("severity_changed."),
    previousState: z
      .enum(INCIDENT_STATES)
      .optional()
      .describe("acknowledged, closed, reopened, auto_resolved."),
    reason: z.string().optional().describe("closed by the service itself: why."),
    mergedInto: idSchema("incident")
      .optional()
      .describe("closed by the service itself: the incident that has its alerts now."),
    note: z
      .object({ id: idSchema("incidentNote"), body: z.string() })
      .optional()
      .describe("note_added."),
    unacknowledgedMinutes: z
      .int()
      .optional()
      .describe("unacknowledged: the step's minutes since the incident was opened or reopened."),
    onDuty: z
      .object({ rotaId: idSchema("rota"), rotaName: z.string(), member: z.string() })
      .optional()
      .describe("unacknowledged: who was on duty and is notified, where the step names a rota."),
  })
  .meta({ id: "IncidentEventPayload" });
/** Further fields of an incident's event; which ones depends on its type. */
export type IncidentEventPayload = z.infer<typeof incidentEventPayloadSchema>;

/** Schema of an event in the life of an incident. */
export const incidentEventSchema = z
  .object({
    id: idSchema("incidentEvent"),
    incidentId: idSchema("incident"),
    eventType: z.enum(incidentEventTypes.types),
    actor: incidentActorSchema,
    occurredAt: timestampSchema,
    payload: incidentEventPayloadSchema,
  })
  .meta({ id: "IncidentEvent" });
/** One event in the life of an incident. */
export type IncidentEvent = z.infer<typeof incidentEventSchema>;

/** Schema of an incident. */
export const incidentSchema = z
  .object({
    id: idSchema("incident"),
    teamId: idSchema("team"),
    title: z.string(),
    severity: severitySchema,
    state: z.enum(INCIDENT_STATES),
    openedAt: timestampSchema,
    acknowledgedAt: timestampSchema.nullable(),
    acknowledgedBy: z
      .string()
      .nullable()
      .describe("Id of the user, or of the channel whose message had the link that was used."),
    acknowledgedByName: actorNameSchema,
    resolvedAt: timestampSchema.nullable(),
    closedAt: timestampSchema.nullable(),
    closedBy: z.string().nullable().describe("null: not closed, or closed by the service itself."),
    closedByName: actorNameSchema,
    updatedAt: timestampSchema.nullable(),
    triageUrl: z.string(),
    fingerprintHash: z.string().describe("SHA-256 of what its alerts share."),
    hypothesis: hypothesisSchema,
    observations: observationsSchema,
    memberCount: z.number(),
    openMemberCount: z.number().describe("Alerts that are active or acknowledged."),
    recurrenceOf: z
      .array(idSchema("incident"))
      .describe("Earlier incidents of the same fingerprint that ended in the 30 days before, newest first."),
    mergedInto: idSchema("incident")
      .nullable()
      .describe("The incident that has its alerts now: it turned out to be part of it."),
  })
  .meta({ id: "Incident" });
/** An incident with its members' summary and its hypothesis. */
export type Incident = z.infer<typeof incidentSchema>;

/** Schema of a note of an incident. */
export const incidentNoteSchema = z
  .object({
    id: idSchema("incidentNote"),
    incidentId: idSchema("incident"),
    body: z.string(),
    authorId: z.string(),
    authorName: actorNameSchema,
    createdAt: timestampSchema,
  })
  .meta({ id: "IncidentNote" });
/** A note that someone wrote on an incident. */
export type IncidentNote = z.infer<typeof incidentNoteSchema>;

/** Body of POST /api/incidents/:id/notes. */
export const addIncidentNoteSchema = closedObject({
  body: z
    .string()
    .trim()
    .min(1, "a note has text")
    .max(INCIDENT_NOTE_LENGTH_MAX, `a note has at most ${INCIDENT_NOTE_LENGTH_MAX} characters`),
});

/** Schema of the query of the list of incidents. */
export const incidentsQuerySchema = z.object({
  state: z
    .string()
    .transform((text) => text.split(",").map((state) => state.trim()))
    .pipe(z.array(z.enum(INCIDENT_STATES)))
    .optional()
    .meta({ type: "string", description: `Comma-separated: ${INCIDENT_STATES.join(", ")}.` }),
  alertId: z.string().max(128).optional().describe("Only the incident of this alert instance."),
  ...pageQuerySchema.shape,
});
/** Query of GET /api/incidents. */
export type IncidentsQuery = z.infer<typeof incidentsQuerySchema>;

/** Schema of the part of an incident that a receiver of its events gets. */
const incidentSnapshotSchema = z.object({
  incidentId: idSchema("incident"),
  title: z.string(),
  severity: severitySchema,
  state: z.enum(INCIDENT_STATES),
  openedAt: timestampSchema,
  triageUrl: z.string(),
});
/** The state of an incident at one of its events, as webhooks and templates get it. */
export type IncidentSnapshot = z.infer<typeof incidentSnapshotSchema>;

/** Schema of the default body of an incident event sent to a webhook. A breaking change raises `schema_version`. */
export const incidentWebhookBodySchema = z
  .object({
    schema_version: z.literal(1),
    event: z.object({
      eventId: idSchema("incidentEvent"),
      eventType: z.enum(incidentEventTypes.types),
      incidentId: idSchema("incident"),
      teamId: idSchema("team"),
      actor: incidentActorSchema,
      occurredAt: timestampSchema,
      payload: incidentEventPayloadSchema,
    }),
    incident: incidentSnapshotSchema,
  })
  .meta({ id: "IncidentWebhookBody" });
/** Body that a webhook channel gets for an incident's event, unless it has a template of its own. */
export type IncidentWebhookBody = z.infer<typeof incidentWebhookBodySchema>;
