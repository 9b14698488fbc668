import * as z from "zod";

const UNTITLED_KEY = "Untitled Key";

const NAME_CHARACTERS_MAX = 100;
/** Beginning of a name that is cleaned: a longer one is cut anyway. */
const NAME_LENGTH_LOOKED_AT = 1000;

/** Matches control characters, and those that reorder or break lines. */
const UNREADABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu;

/**
 * Schema of a key's name, for people: trimmed and cut to 100 characters; an empty name counts as absent. Control
 * characters, and those that reorder text, become spaces: a person decides about a key by the name that they read.
 */
export const keyNameSchema = z
  .string()
  .transform(
    (name) =>
      name
        .slice(0, NAME_LENGTH_LOOKED_AT)
        .replace(UNREADABLE, " ")
        .trim()
        .slice(0, NAME_CHARACTERS_MAX)
        .trim() || UNTITLED_KEY,
  )
  .default(UNTITLED_KEY);
