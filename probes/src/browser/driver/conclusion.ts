/** Decides what an error that a script threw, or that ended it, says about the run. Pure. */
import { errors } from "playwright";
import { type Conclusion, PageCrashed } from "./page-run.ts";
import { Stalled, TimeLimitPassed } from "./time-limit.ts";

/**
 * Returns the status, the cause and the message of a run that ended with this error. Text that the script typed
 * into fields is masked in the message.
 */
export function conclusionOf(error: unknown): Conclusion {
  const errorMessage = maskTyped(messageOf(error));
  if (error instanceof TimeLimitPassed) return { status: "timeout", cause: "timeout", errorMessage };
  if (error instanceof Stalled) return { status: "error", cause: "stalled", errorMessage };
  if (error instanceof PageCrashed) return { status: "error", cause: "crash", errorMessage };
  if (isAssertion(error)) return { status: "failure", cause: "assertion", errorMessage };
  if (error instanceof errors.TimeoutError) return { status: "timeout", cause: "timeout", errorMessage };
  if (/\bnet::ERR_/.test(errorMessage)) return { status: "error", cause: "navigation", errorMessage };
  return { status: "error", cause: "script", errorMessage };
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message || error.name : String(error);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Playwright colours its messages for a terminal
  return message.replace(/\u001b\[[0-9;]*m/g, "").trim();
}

/** True for the errors of `expect` and `node:assert`, known by their properties. */
function isAssertion(error: unknown): boolean {
  const { matcherResult, code } = (error ?? {}) as { matcherResult?: unknown; code?: unknown };
  return matcherResult !== undefined || code === "ERR_ASSERTION";
}

/** Masks the text that was typed into a page, which may be a password: Playwright's call log repeats it. */
function maskTyped(message: string): string {
  return message.replace(/\b(fill|type|pressSequentially|press|insertText)\(("|').*\2\)/g, "$1(***)");
}
