/** Lists that come in pages: the flags that choose a page, and reading all pages. */
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

/**
 * Reads every entry of a list.
 * @param read reads one page
 */
export async function readAllPages<T>(
  read: (page: { limit: number; offset: number }) => Promise<readonly T[]>,
): Promise<T[]> {
  const all: T[] = [];
  for (let offset = 0; ; offset += PAGE_MAX) {
    const page = await read({ limit: PAGE_MAX, offset });
    all.push(...page);
    if (page.length < PAGE_MAX) return all;
  }
}
