import * as z from "zod";

/** Limits of the names of one kind of record. */
export interface NameLimits {
  charactersMax: number;
  /** True when white space around the name is dropped. Default false. */
  isTrimmed?: boolean;
}

/** Returns the schema of the names of one kind of record. */
export function nameSchema({ charactersMax, isTrimmed = false }: NameLimits) {
  const text = isTrimmed ? z.string().trim() : z.string();
  return text
    .min(1, "a name has at least 1 character")
    .max(charactersMax, `a name has at most ${charactersMax} characters`);
}
