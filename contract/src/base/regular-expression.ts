/** Regular expressions that users write. Pure. */
import type * as z from "zod";
import { excerpt } from "./text.ts";
import { vaultNamesIn } from "./vault.ts";

/**
 * Adds an issue for a text that is no regular expression of JavaScript, which no run could match; for `superRefine`. The text is read,
 * not matched, so it can't hold the event loop. One with references to secrets is read when they are filled in.
 */
export function validRegularExpression(text: string, context: z.RefinementCtx): void {
  if (vaultNamesIn(text).length > 0) return;
  try {
    new RegExp(text);
  } catch (error) {
    const reason = (error as Error).message.split(": ").at(-1) ?? "";
    context.addIssue({
      code: "custom",
      message: `not a regular expression of JavaScript: ${excerpt(reason)}`,
    });
  }
}
