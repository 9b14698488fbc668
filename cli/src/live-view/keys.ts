/** Turns the terminal's input into keys. Keys typed fast arrive as one text. Pure. */
import type { Key } from "./state.ts";

/** The special keys that ink reports beside the text. */
export interface InkKey {
  upArrow: boolean;
  downArrow: boolean;
  return: boolean;
  escape: boolean;
  backspace: boolean;
  delete: boolean;
  ctrl: boolean;
}

const BY_CHARACTER: Readonly<Record<string, Key>> = {
  "\r": { name: "enter" },
  "\n": { name: "enter" },
  "\u0003": { name: "interrupt" },
  "\u0008": { name: "backspace" },
  "\u007f": { name: "backspace" },
};
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Returns the keys of one input, in order; unknown control characters are left out. */
export function keysOf(input: string, key: InkKey): Key[] {
  if (key.upArrow) return [{ name: "up" }];
  if (key.downArrow) return [{ name: "down" }];
  if (key.return) return [{ name: "enter" }];
  if (key.escape) return [{ name: "escape" }];
  // Ink calls the character that most terminals send for backspace "delete".
  if (key.backspace || key.delete) return [{ name: "backspace" }];
  if (key.ctrl) return input === "c" ? [{ name: "interrupt" }] : [];
  return [...input].flatMap((char): Key[] => {
    const known = BY_CHARACTER[char];
    if (known) return [known];
    return CONTROL.test(char) ? [] : [{ name: "char", char }];
  });
}
