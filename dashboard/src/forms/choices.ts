/** Values of a choice, as they are shown. */
import { labelOf } from "./label.ts";

/** Value of the entry of a choice that leaves the field out. */
export const ABSENT = "";

/** Returns a value of a choice as it is shown: names in words, all others as they are. */
export function wordOf(value: string | number): string | number {
  return typeof value === "string" && /^[a-z][a-z_\d]*$/.test(value) ? labelOf(value) : value;
}
