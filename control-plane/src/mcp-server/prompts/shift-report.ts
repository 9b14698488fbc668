import * as z from "zod";
import { definePrompt } from "./prompt.ts";

/** Has a model tell how things stand at the begin of a shift. */
export const shiftReport = definePrompt({
  type: "shift_report",
  title: "How do we stand?",
  description: "Reports how the team stands, for whoever begins their time on call.",
  input: z.strictObject({}),
  text: () =>
    [
      "I begin my time on call. Tell me how our synthetic monitoring stands.",
      "1. Call get_overview, then list_failing, and list_incidents for those that are open.",
      "2. Call list_slos: which error budgets are nearly spent, or burn fast?",
      "3. Call get_coverage without a check: are there slots without a result, so that failures could be missed?",
      "Report in at most fifteen lines, the gravest first: what fails and since when, who is on it, what is at risk today, and what I should look at first.",
    ].join("\n"),
});
