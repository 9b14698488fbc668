/** Flags of where a private location is. */

import { generalError } from "../../runtime/cli-error.ts";
import type { OptionSpec } from "../../runtime/command-outline.ts";

export interface PlaceOptions<Degrees = number> {
  displayName?: string;
  latitude?: Degrees;
  longitude?: Degrees;
}

/** What may be given of a new place. */
export const PLACE_OPTIONS: readonly OptionSpec[] = [
  { flags: "--display-name <name>", description: "name that people see" },
  { flags: "--latitude <degrees>", description: "for maps, -90 to 90", parse: degrees("--latitude", 90) },
  {
    flags: "--longitude <degrees>",
    description: "for maps, -180 to 180",
    parse: degrees("--longitude", 180),
  },
];

/** Takes a coordinate away. */
export const NONE = "none";

/** The same of one that is there, where a coordinate may also be {@link NONE}. */
export const PLACE_CHANGES: readonly OptionSpec[] = PLACE_OPTIONS.map(({ parse, ...option }) =>
  parse
    ? {
        ...option,
        description: `${option.description}; none takes it away`,
        parse: (text: string) => (text === NONE ? NONE : parse(text)),
      }
    : option,
);

function degrees(flag: string, max: number): (text: string) => number {
  return (text) => {
    const value = /^-?\d{1,3}(\.\d{1,12})?$/.test(text) ? Number(text) : Number.NaN;
    if (Math.abs(value) <= max) return value;
    throw generalError(`${flag} is "${text}"; expected a number from -${max} to ${max}`);
  };
}
