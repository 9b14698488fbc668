import * as z from "zod";

const UNTITLED_KEY = "Untitled Key";

const NAME_CHARACTERS_MAX = 100;

/** Name of a key, for people: trimmed, cut to 100 characters; an empty one counts as not given. */
export const keyNameSchema = z
  .string()
  .transform((name) => name.trim().slice(0, NAME_CHARACTERS_MAX).trim() || UNTITLED_KEY)
  .default(UNTITLED_KEY);
