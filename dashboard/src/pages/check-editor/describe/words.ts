/** Sentences about a generation, for those who see the page and those who hear it. */
import { type GeneratedScript, SECOND_MS } from "@svc/contract";
import { RequestError } from "../../../api/request.ts";
import type { StateWord } from "../../../status/words.ts";
import { durationText } from "../../../time/format.ts";
import type { GenerationProgress, GenerationState } from "./use-generation.ts";

/** The outcomes of the try of a draft. */
export const verificationStates: Readonly<Record<GeneratedScript["verified"]["status"], StateWord>> = {
  passed: { word: "Passed", mark: "good" },
  failed: { word: "Failed", mark: "failing" },
  not_run: { word: "Not run", mark: "unknown" },
};

/** Returns the sentence of a part that began. */
export function progressText({ phase, attempt }: GenerationProgress): string {
  switch (phase) {
    case "looking":
      return "Looking at the page";
    case "writing":
      return `Writing draft ${attempt}`;
    case "trying":
      return `Trying draft ${attempt}`;
    case "repairing":
      return `Draft ${attempt - 1} failed, writing draft ${attempt}`;
  }
}

/** Returns the sentence that announces how a generation stands; "" where nothing is to be said, or an alert says it. */
export function stateText(state: GenerationState): string {
  const newest = state.progress.at(-1);
  switch (state.is) {
    case "underWay":
      return newest ? progressText(newest) : "Asking for a script";
    case "cancelled":
      return "Cancelled. The script in the form is as it was.";
    case "ended":
      return `There is a script. Its try: ${verificationStates[state.result.verified.status].word.toLowerCase()}.`;
    default:
      return "";
  }
}

/** Returns what went wrong, and when another try makes sense. */
export function failureText(error: Error): string {
  const seconds = error instanceof RequestError ? error.retryAfterSeconds : undefined;
  const details = error instanceof RequestError ? error.details : [];
  const sentence = [error.message, ...details].join("; ");
  return seconds === undefined
    ? sentence
    : `${sentence}${/[.!?]$/.test(sentence) ? "" : "."} Try again in ${durationText(seconds * SECOND_MS)}.`;
}

/** The address that a script opens first, written out. */
const OPENED = /\bgoto\(\s*["'`](https?:\/\/[^"'`$\s]+)["'`]/;

/** Returns the URL that a script opens first; "" where it is not written out. */
export function openedUrlOf(script: string): string {
  return OPENED.exec(script)?.[1] ?? "";
}
