/** Judges the web vitals of a page by the thresholds that https://web.dev/articles/vitals and its pages of LCP, FCP, CLS and TTFB name. Pure. */
import type { WebVitals } from "@svc/contract";
import { durationText } from "../time/format.ts";

/** Thresholds of a vital: good up to `good`, poor beyond `poor`, needs improvement between. ms, or the score of CLS. */
const VITALS = [
  { field: "lcpMs", short: "LCP", name: "Largest contentful paint", good: 2_500, poor: 4_000 },
  { field: "fcpMs", short: "FCP", name: "First contentful paint", good: 1_800, poor: 3_000 },
  { field: "cls", short: "CLS", name: "Cumulative layout shift", good: 0.1, poor: 0.25 },
  { field: "ttfbMs", short: "TTFB", name: "Time to first byte", good: 800, poor: 1_800 },
] as const;

/** The words of the judgement, with the marks of states. */
const WORDS = {
  good: { word: "Good", mark: "good" },
  between: { word: "Needs improvement", mark: "slow" },
  poor: { word: "Poor", mark: "failing" },
} as const;

/** A vital as it is shown; `state` is absent where it was not measured. */
export interface JudgedVital {
  readonly short: string;
  readonly name: string;
  /** The figure with its unit. CLS has none. */
  readonly text: string;
  readonly state?: (typeof WORDS)[keyof typeof WORDS];
}

/** Returns the four vitals in their fixed order. */
export function judgeVitals(vitals: WebVitals): JudgedVital[] {
  return VITALS.map(({ field, short, name, good, poor }) => {
    const value = vitals[field];
    if (value === undefined) return { short, name, text: "none" };
    const state = value <= good ? WORDS.good : value > poor ? WORDS.poor : WORDS.between;
    return { short, name, text: field === "cls" ? value.toFixed(3) : durationText(value), state };
  });
}
