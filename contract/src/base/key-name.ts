import * as z from "zod";

const UNTITLED_KEY = "Untitled Key";

const NAME_CHARACTERS_MAX = 100;

/** Schema of a key's name, for people: trimmed and cut to 100 characters; an empty name counts as absent. */
export const keyNameSchema = z
  .string()
  .transform((name) => name.trim().slice(0, NAME_CHARACTERS_MAX).trim() || UNTITLED_KEY)
  .default(UNTITLED_KEY);
