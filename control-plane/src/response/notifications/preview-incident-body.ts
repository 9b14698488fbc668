import {
  firstCharacters,
  type IncidentBodyPreview,
  newId,
  PREVIEW_CHARACTERS_MAX,
  type PreviewIncidentBody,
  pagePath,
} from "@svc/contract";
import { announce } from "../../outbox/announce.ts";
import { headersOfRequest } from "../../outbox/channels/http-request.ts";
import { textOfWebhook, webhook } from "../../outbox/channels/webhook.ts";
import type { NotificationAboutIncident } from "../../outbox/payload.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { exampleOfIncident } from "../incidents/example.ts";
import { triageUrlOf } from "../incidents/row.ts";
import { exampleOfAlert } from "./example.ts";

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
    template:
      template === undefined
        ? null
        : { channelType: "webhook", overrides: { [eventType]: { body: template } } },
    links: {
      incident: triageUrlOf(publicUrl, incidentId),
      alert: (id) => publicUrl + pagePath("alert", { id }),
      check: (id) => publicUrl + pagePath("check", { id }),
    },
  };
  const message = webhook.render(announce(notification), {
    type: "webhook",
    url: publicUrl,
    method: "POST",
  });
  const { text, problem = null } = await textOfWebhook(message);
  return {
    headers: headersOfRequest(message.headers, text),
    body: firstCharacters(text, PREVIEW_CHARACTERS_MAX),
    characters: text.length,
    problem,
  };
}
