/** Templates of incident events: the values that they may use, and a preview of what one gives. */
import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { incidentEventTypes } from "../events/incident.ts";
import { templateTextSchema } from "./channel.ts";
import { incidentWebhookBodySchema } from "./incident.ts";

/** Most characters of a preview; the text that is sent may be longer. */
export const PREVIEW_CHARACTERS_MAX = 65_536;

/** Paths of the values that a template may use, such as `incident.title`; of a list, the path of the whole. */
export const INCIDENT_TEMPLATE_PATHS: readonly string[] = pathsOf(
  z.object({
    incident: incidentWebhookBodySchema.shape.incident,
    ...incidentWebhookBodySchema.shape.event.shape,
    // Names of people are added to events that are read, not to those that are sent.
    actor: incidentWebhookBodySchema.shape.event.shape.actor.omit({ name: true }),
  }),
);

function pathsOf(schema: z.ZodObject): string[] {
  return Object.entries(schema.shape).flatMap(([name, field]) => {
    const inner = withoutWrappers(field as z.ZodType);
    return inner instanceof z.ZodObject ? pathsOf(inner).map((path) => `${name}.${path}`) : [name];
  });
}

/** Returns the schema of a value that is there. */
function withoutWrappers(schema: z.ZodType): z.ZodType {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable || inner instanceof z.ZodDefault)
    inner = inner.unwrap() as z.ZodType;
  return inner;
}

/** Body of POST /api/notification-channels/preview. */
export const previewIncidentBodySchema = closedObject({
  eventType: z.enum(incidentEventTypes.types).default("opened").describe("The event to make an example of."),
  template: templateTextSchema
    .optional()
    .describe("A body of the team's own for the event. Default: the body that is sent without one."),
});
/** Body of the request for a preview, defaults filled in. */
export type PreviewIncidentBody = z.infer<typeof previewIncidentBodySchema>;

/** Schema of a preview. */
export const incidentBodyPreviewSchema = z
  .object({
    headers: z
      .record(z.string(), z.string())
      .describe("Headers that the service adds to those of the channel."),
    body: z.string().describe(`The text that would be sent: its first ${PREVIEW_CHARACTERS_MAX} characters.`),
    characters: z.number().describe("Of the whole text."),
    problem: z
      .string()
      .nullable()
      .describe(
        "Why the template was not used: then the body is the one that is sent without a template. null: it was, or there is none.",
      ),
  })
  .meta({ id: "IncidentBodyPreview" });
/** What a webhook channel would send of an incident's event. */
export type IncidentBodyPreview = z.infer<typeof incidentBodyPreviewSchema>;
