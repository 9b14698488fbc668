/** The range of time of a page, which its address carries. */
import { useMemo } from "react";
import { useSearchParams } from "wouter";
import { useNowMs } from "../time/ago.tsx";
import { instantsOf, type Range, rangeOfSearch, searchWithRange } from "../time/range.ts";

/** A range that ends now moves on in these steps, so that what it shows is not read anew each second. */
const STEP_MS = 30_000;

/** The range of the page, and a function that changes it. */
export interface PageRange {
  range: Range;
  fromMs: number;
  toMs: number;
  setRange(range: Range): void;
}

/** Returns the range that the address names. */
export function useRange(): PageRange {
  const [search, setSearch] = useSearchParams();
  const nowMs = Math.ceil(useNowMs() / STEP_MS) * STEP_MS;
  return useMemo(() => {
    const range = rangeOfSearch(search);
    const setRange = (next: Range) => setSearch((before) => searchWithRange(before, next));
    return { range, ...instantsOf(range, nowMs), setRange };
  }, [search, setSearch, nowMs]);
}
