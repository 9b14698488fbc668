/** Terms of the filter that buttons switch on and off. Pure. */
import type { CheckRow } from "../../status/check-rows.ts";
import type { CheckState } from "../../status/words.ts";

/** Values that a menu lists at most, the most frequent first. */
const VALUES_MAX = 30;
/** Kinds of terms of which a check can fulfil several at once. */
const COMBINABLE: ReadonlySet<string> = new Set(["label"]);

/** Entry of a filter menu: a term with the number of checks that it leaves. */
export interface Facet {
  readonly term: string;
  readonly text: string;
  readonly checks: number;
}

const IS: Readonly<Record<CheckState, string>> = {
  unhealthy: "is:failing",
  healthy: "is:healthy",
  unknown: "is:unknown",
  paused: "is:paused",
};

/** Returns the menus of the filter: title, and the terms that at least one check fulfils. */
export function facetsOf(
  rows: readonly CheckRow[],
  { wordOf, nameOf }: { wordOf(state: CheckState): string; nameOf(locationId: string): string },
): readonly { title: string; facets: readonly Facet[] }[] {
  const counted = (
    valuesOf: (row: CheckRow) => readonly string[],
    facetOf: (value: string) => Omit<Facet, "checks">,
  ): Facet[] => {
    const counts = new Map<string, number>();
    for (const row of rows)
      for (const value of valuesOf(row)) counts.set(value, (counts.get(value) ?? 0) + 1);
    return [...counts]
      .sort(([, a], [, b]) => b - a)
      .slice(0, VALUES_MAX)
      .map(([value, checks]) => ({ ...facetOf(value), checks }));
  };
  return [
    {
      title: "Health",
      facets: counted(
        ({ state }) => [state],
        (state) => ({ term: IS[state as CheckState], text: wordOf(state as CheckState) }),
      ),
    },
    {
      title: "Type",
      facets: counted(
        ({ type }) => [type],
        (type) => ({ term: `type:${type}`, text: type }),
      ),
    },
    {
      title: "Label",
      facets: counted(
        ({ labels }) => labels,
        (label) => ({ term: `label:${label.toLowerCase()}`, text: label }),
      ),
    },
    {
      title: "Location",
      facets: counted(
        ({ locations }) => locations,
        (id) => ({ term: `loc:${id}`, text: nameOf(id) }),
      ),
    },
    {
      title: "Managed by",
      facets: counted(
        ({ project }) => [project === null ? "no" : "yes"],
        (code) => ({ term: `code:${code}`, text: code === "yes" ? "A deploy" : "People" }),
      ),
    },
  ];
}

/** True when the text holds the term. */
export function hasTerm(text: string, term: string): boolean {
  return text.toLowerCase().split(/\s+/).includes(term);
}

/** Returns the text with the term, in place of another one of its kind, or without it when it is there. */
export function toggledTerm(text: string, term: string): string {
  const kind = term.slice(0, term.indexOf(":"));
  const parts = text.split(/\s+/).filter(Boolean);
  const others = parts.filter((part) => {
    const lower = part.toLowerCase();
    return lower !== term && (COMBINABLE.has(kind) || !lower.startsWith(`${kind}:`));
  });
  return (hasTerm(text, term) ? others : [...others, term]).join(" ");
}
