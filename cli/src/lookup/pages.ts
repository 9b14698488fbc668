/** The flags that choose a page of a list. */
import type { OptionSpec } from "../runtime/command-outline.ts";
import { wholeNumber } from "../runtime/option-values.ts";

/** Largest page that the service answers. */
const PAGE_MAX = 200;

/** The page that was asked for. */
export interface PageOptions {
  limit: number;
  offset?: number;
}

/**
 * Returns the flags `--limit` and `--offset`.
 * @param note says when --offset can't be given
 */
export function pageOptions(note?: string): OptionSpec[] {
  return [
    {
      flags: "--limit <n>",
      description: `how many, 1-${PAGE_MAX}`,
      default: 20,
      parse: wholeNumber("--limit", 1, PAGE_MAX),
    },
    {
      flags: "--offset <n>",
      description: `how many to skip${note === undefined ? "" : `; ${note}`}`,
      parse: wholeNumber("--offset", 0, Number.MAX_SAFE_INTEGER),
    },
  ];
}
