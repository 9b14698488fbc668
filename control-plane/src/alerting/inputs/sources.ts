/** The input sources, in the order in which they are read. To add one: its file beside this one, and one line here. */
import { baseline } from "./baseline.ts";
import { burnRate } from "./burn-rate.ts";
import { certificates } from "./certificates.ts";
import type { InputSource } from "./input-source.ts";
import { missedSlots } from "./missed-slots.ts";

const sources = { certificates, missedSlots, baseline, burnRate };

type Sources = typeof sources;

/** Name of a source. A condition states its need under this name, and finds the lookup that was loaded under it, too. */
export type InputKind = keyof Sources;

/** By source, the type in which a condition states how much input it needs. */
export type SourceNeeds = {
  [Kind in InputKind]: Sources[Kind] extends InputSource<infer Need, infer _Lookup> ? Need : never;
};

/** By source, the type of the function or value by which a condition reads the input that was loaded. */
export type SourceLookups = {
  [Kind in InputKind]: Sources[Kind] extends InputSource<infer _Need, infer Lookup> ? Lookup : never;
};

/** All sources by name. */
export const INPUT_SOURCES: {
  readonly [Kind in InputKind]: InputSource<SourceNeeds[Kind], SourceLookups[Kind]>;
} = sources;

/** Returns the lookups of a check that asks no source for anything. */
export function noLookups(): SourceLookups {
  return {
    certificates: sources.certificates.none,
    missedSlots: sources.missedSlots.none,
    baseline: sources.baseline.none,
    burnRate: sources.burnRate.none,
  };
}

/** Names of the sources, in the order in which they are read. */
export const INPUT_KINDS = Object.keys(sources) as InputKind[];
