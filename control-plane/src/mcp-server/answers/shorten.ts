/** Cuts of values that are too long for an answer: texts, lists and objects lose their ends and say how much. Pure. */
import { firstCharacters } from "@svc/contract";

/** Most of each that is left. */
export interface ShortenLimits {
  /** Characters of a text. */
  characters: number;
  /** Items of a list, and fields of an object. */
  items: number;
}

/** Levels below which nothing is left. */
const LEVELS_MAX = 24;

/** Returns the value with long texts, lists and objects cut; what is cut ends with how much there was. */
export function shorten(value: unknown, limits: ShortenLimits, levels = LEVELS_MAX): unknown {
  if (typeof value === "string") return shortenText(value, limits.characters);
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return "[cut: nested too deeply]";
  const inner = (one: unknown) => shorten(one, limits, levels - 1);
  if (Array.isArray(value)) {
    const kept = value.slice(0, limits.items).map(inner);
    return value.length > limits.items ? [...kept, `[cut: ${value.length} items in all]`] : kept;
  }
  const fields = Object.entries(value);
  const kept = fields
    .slice(0, limits.items)
    .map(([name, one]) => [shortenText(name, limits.characters), inner(one)]);
  if (fields.length > limits.items) kept.push(["[cut]", `${fields.length} fields in all`]);
  return Object.fromEntries(kept);
}

/** Returns the text, or its beginning and how many characters it has. */
function shortenText(text: string, characters: number): string {
  return text.length <= characters
    ? text
    : `${firstCharacters(text, characters).toWellFormed()}… [cut: ${text.length} characters in all]`;
}
