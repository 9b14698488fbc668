import { z } from "zod";

const UNTITLED_KEY = "Untitled Key";

/** Name of a key, for people: trimmed, at most 100 characters; an empty one counts as not given. */
export const keyNameSchema = z
  .string()
  .trim()
  .max(100, "a name has at most 100 characters")
  .transform((name) => name || UNTITLED_KEY)
  .default(UNTITLED_KEY);
