/** The input sources, in the order in which they are read. To add one: its file beside this one, and one line here. */
import { baseline } from "./baseline.ts";
import { burnRate } from "./burn-rate.ts";
import { certificates } from "./certificates.ts";
import type { InputSource } from "./input-source.ts";
import { missedSlots } from "./missed-slots.ts";

const sources = { certificates, missedSlots, baseline, burnRate };

type Sources = typeof sources;

/** Name of a source: conditions use it to ask for the input and to read it. */
export type InputKind = keyof Sources;

/** Need of each source. */
export type SourceNeeds = {
  [Kind in InputKind]: Sources[Kind] extends InputSource<infer Need, infer _Lookup> ? Need : never;
};

/** Lookup of each source. */
export type SourceLookups = {
  [Kind in InputKind]: Sources[Kind] extends InputSource<infer _Need, infer Lookup> ? Lookup : never;
};

export const INPUT_SOURCES: {
  readonly [Kind in InputKind]: InputSource<SourceNeeds[Kind], SourceLookups[Kind]>;
} = sources;

export const INPUT_KINDS = Object.keys(sources) as InputKind[];
