/** Colours of the terminal. */

/** Colours a text. */
export type Paint = (text: string) => string;

/** Functions that colour a text, or return the text itself where there are no colours. */
export interface Colors {
  bold: Paint;
  dim: Paint;
  red: Paint;
  green: Paint;
  yellow: Paint;
  blue: Paint;
  cyan: Paint;
}

const CODES: Record<keyof Colors, [number, number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  cyan: [36, 39],
};

/** Returns functions that colour, or that leave text as it is. */
export function createColors(isEnabled: boolean): Colors {
  const paint =
    ([on, off]: [number, number]): Paint =>
    (text) =>
      isEnabled && text !== "" ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return Object.fromEntries(Object.entries(CODES).map(([name, codes]) => [name, paint(codes)])) as {
    [Name in keyof Colors]: Paint;
  };
}

/**
 * True when output is coloured: NO_COLOR (any value but empty) and --no-color turn colours off, FORCE_COLOR on; else
 * terminals have them.
 */
export function wantsColor(
  env: Readonly<Record<string, string | undefined>>,
  options: { isTty: boolean; isRefused: boolean },
): boolean {
  if (options.isRefused || (env.NO_COLOR ?? "") !== "") return false;
  if ((env.FORCE_COLOR ?? "") !== "" && env.FORCE_COLOR !== "0") return true;
  return options.isTty && env.TERM !== "dumb";
}
