/**
 * Bounds on the shape of a JSON text, found by one cheap pass over the text before anything parses it: parsing and
 * validating cost many times more per value than reading a character does. A text that is no valid JSON may pass; the
 * parser refuses it afterwards.
 */
import { excerpt } from "@svc/contract";

/** Most of each that a text may have. */
export interface ShapeLimits {
  /** Levels of lists and objects. */
  levels: number;
  /** Items of one list. */
  items: number;
  /** Fields of one object. */
  fields: number;
  /** Values in all. */
  values: number;
}

/** Limits above everything that a valid body needs. The longest list is that of a maintenance window's checks. */
export const BODY_SHAPE_LIMITS: ShapeLimits = { levels: 64, items: 10_001, fields: 500, values: 20_000 };

/** The first limit that a text exceeds. */
export interface ShapeProblem {
  /** Field of the outermost object that holds the problem; undefined when the outermost value itself does. */
  field: string | undefined;
  message: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;

/** Returns the first limit that the text exceeds, or undefined when it exceeds none. Takes time linear in the text. */
export function findShapeProblem(text: string, limits: ShapeLimits): ShapeProblem | undefined {
  /** Per open list or object: the commas in it, and whether it is a list. */
  const commas: number[] = [];
  const isList: boolean[] = [];
  let values = 1;
  let lastText = { from: 0, to: 0 };
  let field: string | undefined;
  const problem = (message: string): ShapeProblem => ({ field, message });
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfText(text, at);
        lastText = { from: at + 1, to: end };
        at = end;
        break;
      }
      case COLON:
        if (commas.length === 1) field = excerpt(text.slice(lastText.from, lastText.to));
        break;
      case COMMA: {
        const inside = commas.length - 1;
        const count = (commas[inside] ?? 0) + 1;
        commas[inside] = count;
        if (++values > limits.values) return problem(`holds more than ${limits.values} values`);
        if (isList[inside] && count >= limits.items)
          return problem(`holds a list of more than ${limits.items} items`);
        if (!isList[inside] && count >= limits.fields)
          return problem(`holds an object of more than ${limits.fields} fields`);
        break;
      }
      case OPEN_LIST:
      case OPEN_OBJECT:
        commas.push(0);
        isList.push(text.charCodeAt(at) === OPEN_LIST);
        if (++values > limits.values) return problem(`holds more than ${limits.values} values`);
        if (commas.length > limits.levels) return problem(`nested deeper than ${limits.levels} levels`);
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        commas.pop();
        isList.pop();
        if (commas.length === 0) field = undefined;
        break;
    }
  }
  return undefined;
}

/** Returns the index of the quote that ends the text that begins at `from`, or the length of the whole when none does. */
function endOfText(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}
