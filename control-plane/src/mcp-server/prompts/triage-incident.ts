import * as z from "zod";
import { definePrompt, shortText } from "./prompt.ts";

/** Has a model look into an incident. */
export const triageIncident = definePrompt({
  type: "triage_incident",
  title: "Look into this incident",
  description: "Looks into an incident: its cause, its extent, who was notified, and what to do next.",
  input: z.strictObject({ incidentId: shortText("Id of the incident (inc_...).") }),
  text: ({ incidentId }) =>
    [
      `Look into the incident ${incidentId} of our synthetic monitoring, and report to the engineer on call.`,
      "1. Call get_incident: read the hypothesis and what speaks for it and against it.",
      "2. Call explain_check for up to three of its checks, and test the hypothesis with their evidence.",
      "3. See what changed shortly before it opened (list_changes, list_deployments), and whether the incident is a recurrence.",
      "4. Call list_notifications: who was notified, and did it arrive? Call list_slos: which error budgets does it burn?",
      "Report in at most twelve lines: extent, begin, cause with the facts for and against it, who was notified, what is at stake, and the next step. An incident is acknowledged and closed by a person: give them its triageUrl.",
    ].join("\n"),
});
