import * as z from "zod";
import { definePrompt, shortText } from "./prompt.ts";

/** Has a model find out why a check fails. */
export const triageCheck = definePrompt({
  type: "triage_check",
  title: "Why does this check fail?",
  description: "Finds out why a check fails, since when, who knows of it, and what to do next.",
  input: z.strictObject({ check: shortText("Id (chk_...) or name of the check.") }),
  text: ({ check }) =>
    [
      `Find out why the check "${check}" of our synthetic monitoring fails, and report to the engineer on call.`,
      "1. If that is no id (chk_...), find the check with find_checks.",
      "2. Call explain_check. Read the evidence with get_result where it is not enough, and read_evidence where a text was cut.",
      "3. See whether others fail for the same reason (list_failing), and what changed shortly before it began (list_changes, list_deployments).",
      "4. Call list_notifications with the open alert or its incident: who was notified, and did it arrive?",
      "Report in at most ten lines: what fails and for whom, since when, the most likely cause with the facts that speak for and against it, who was notified, and the next step. Say what you could not find out. Change nothing without being asked to.",
    ].join("\n"),
});
