/** Prompts: beginnings of conversations that a person chooses in the client. They name tools, and hold no data. */
import * as z from "zod";

/** A prompt as it is defined. */
export interface Prompt {
  /** Name by which clients ask for the prompt. */
  readonly type: string;
  readonly title: string;
  readonly description: string;
  /** Arguments; each is a text. */
  readonly input: z.ZodObject;
  /** Returns what the person says to the model. */
  text(input: Readonly<Record<string, string>>): string;
}

/** Returns the prompt as it is; gives it its type. */
export function definePrompt(prompt: Prompt): Prompt {
  return prompt;
}

/** Returns the schema of an argument that is an id or another short text. */
export function shortText(description: string): z.ZodString {
  return z.string().min(1).max(200).describe(description);
}
