/** Flags of where a private location is. */

import { generalError } from "../cli-error.ts";
import type { OptionSpec } from "../command-outline.ts";

export interface PlaceOptions {
  displayName?: string;
  latitude?: number;
  longitude?: number;
}

export const PLACE_OPTIONS: readonly OptionSpec[] = [
  { flags: "--display-name <name>", description: "name that people see" },
  { flags: "--latitude <degrees>", description: "for maps, -90 to 90", parse: degrees("--latitude", 90) },
  {
    flags: "--longitude <degrees>",
    description: "for maps, -180 to 180",
    parse: degrees("--longitude", 180),
  },
];

function degrees(flag: string, max: number): (text: string) => number {
  return (text) => {
    const value = /^-?\d{1,3}(\.\d{1,12})?$/.test(text) ? Number(text) : Number.NaN;
    if (Math.abs(value) <= max) return value;
    throw generalError(`${flag} is "${text}"; expected a number from -${max} to ${max}`);
  };
}
