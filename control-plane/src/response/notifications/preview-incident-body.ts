import {
  firstCharacters,
  type IncidentBodyPreview,
  incidentTemplateSchema,
  newId,
  PREVIEW_CHARACTERS_MAX,
  type PreviewIncidentBody,
  pagePath,
} from "@svc/contract";
import { announce } from "../../outbox/announce.ts";
import { type AnySender, channelSenders } from "../../outbox/channels/registry.ts";
import type { NotificationAboutIncident } from "../../outbox/payload.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { exampleOfIncident } from "../incidents/example.ts";
import { triageUrlOf } from "../incidents/row.ts";
import { exampleOfAlert } from "./example.ts";

/** The type of channels that take templates. */
const channelType = incidentTemplateSchema.shape.channelType.value;

/**
 * Returns what a webhook channel would send of an example of the event, rendered by the code that sends events. Sends and
 * stores nothing.
 */
export async function previewIncidentBody(
  { services, teamId }: TeamContext,
  { eventType, template }: PreviewIncidentBody,
): Promise<IncidentBodyPreview> {
  const nowMs = services.clock.nowMs();
  const publicUrl = services.publicUrl();
  const incidentId = newId("incident");
  const alert = exampleOfAlert("triggered", nowMs);
  const notification: NotificationAboutIncident = {
    about: "incident",
    id: newId("notification"),
    teamId,
    incidentId,
    isTest: true,
    payload: exampleOfIncident({ eventType, incidentId, alert, nowMs }),
    template: template === undefined ? null : { channelType, overrides: { [eventType]: { body: template } } },
    links: {
      incident: triageUrlOf(publicUrl, incidentId),
      alert: (id) => publicUrl + pagePath("alert", { id }),
      check: (id) => publicUrl + pagePath("check", { id }),
      acknowledge: null,
    },
  };
  const sender = channelSenders.get(channelType) as AnySender;
  if (!sender.preview) throw new Error(`channels of the type ${channelType} take no templates`);
  const { headers, text, problem = null } = await sender.preview(announce(notification));
  return {
    headers,
    body: firstCharacters(text, PREVIEW_CHARACTERS_MAX),
    characters: text.length,
    problem,
  };
}
