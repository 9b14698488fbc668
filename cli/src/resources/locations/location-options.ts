/** Flags for the name and coordinates of a private location. */

import { generalError } from "../../runtime/cli-error.ts";
import type { OptionSpec } from "../../runtime/command-outline.ts";

/** Values of these flags. Degrees are decimal. */
export interface LocationOptions<Degrees = number> {
  displayName?: string;
  latitude?: Degrees;
  longitude?: Degrees;
  guard?: boolean;
}

/** Returns the fields of a location that the flags name, without its coordinates. */
export function locationFieldsOf<Options extends Pick<LocationOptions, "guard">>({
  guard,
  ...fields
}: Options): Omit<Options, "guard"> & { isGuarded?: boolean } {
  return { ...fields, ...(guard !== undefined && { isGuarded: guard }) };
}

/** Flags of a new location. */
export const LOCATION_OPTIONS: readonly OptionSpec[] = [
  { flags: "--display-name <name>", description: "name that people see" },
  { flags: "--latitude <degrees>", description: "for maps, -90 to 90", parse: degrees("--latitude", 90) },
  {
    flags: "--longitude <degrees>",
    description: "for maps, -180 to 180",
    parse: degrees("--longitude", 180),
  },
  { flags: "--guard", description: "hold alerts back while it can't reach its targets (default)" },
  { flags: "--no-guard", description: "notify of each alert, also then" },
];

/** Value of a flag that takes a coordinate away. */
export const NONE = "none";

/** Flags of an existing location: a coordinate may also be {@link NONE}. */
export const LOCATION_CHANGE_OPTIONS: readonly OptionSpec[] = LOCATION_OPTIONS.map(({ parse, ...option }) =>
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
