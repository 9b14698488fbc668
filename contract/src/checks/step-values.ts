/**
 * References to values that a step extracts: `{{values.NAME}}` in the URL, a header, the body or the credentials of a later step
 * stands for the value. The agent puts it there while the run goes on. Pure.
 */
import * as z from "zod";

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** Matches a reference, and what is nearly one, such as {{value.id}} or {{values.a b}}. */
const REFERENCE = /\{\{\s*(values|value|steps|step)\.([^{}]{0,200})\}\}/gi;

/** Schema of the name of an extracted value. */
export const valueNameSchema = z
  .string()
  .regex(
    NAME,
    "a name begins with a letter or _, continues with letters, digits and _, and has at most 64 characters",
  );

/** A reference in a text. */
export interface ValueReference {
  /** Name of the value; undefined: the text is nearly a reference, and none. */
  name: string | undefined;
  /** The reference as it is written. */
  written: string;
  /** Offset of its first character. */
  at: number;
}

/** Lists the references in a text, and the texts that are nearly one, in their order. */
export function valueReferencesIn(text: string): ValueReference[] {
  if (!text.includes("{{")) return [];
  return [...text.matchAll(REFERENCE)].map(({ 0: written, 1: kind, 2: rest = "", index }) => {
    const name = rest.trim();
    return { name: kind === "values" && NAME.test(name) ? name : undefined, written, at: index };
  });
}

/**
 * Returns a text with its references replaced. References in a value stay text.
 * @param valueOfName returns the text that stands for a name
 */
export function replaceValueReferences(text: string, valueOfName: (name: string) => string): string {
  if (!text.includes("{{")) return text;
  return text.replace(REFERENCE, (written: string, kind: string, rest: string) => {
    const name = rest.trim();
    return kind === "values" && NAME.test(name) ? valueOfName(name) : written;
  });
}
