/** Checks as rows, made of the columns of the summary. No I/O. */
import type { ChecksSummary, Severity } from "@svc/contract";
import type { CheckState } from "./words.ts";

/** A check as a list shows it. */
export interface CheckRow {
  id: string;
  name: string;
  type: string;
  state: CheckState;
  frequencySeconds: number;
  /** Ids. */
  locations: readonly string[];
  /** Ids of the locations whose newest result is no success. */
  failing: readonly string[];
  labels: readonly string[];
  /** Project that deployed the check; null: none did. */
  project: string | null;
  /** Of the newest result, ms; null: there is none. */
  responseTimeMs: number | null;
  /** Of the last 24 whole hours, in basis points; null: there are no results. */
  availabilityBp: number | null;
  openSeverity: Severity | null;
}

/** Returns the rows of a summary, in its order. */
export function rowsOf(parts: readonly ChecksSummary[]): CheckRow[] {
  return parts.flatMap((part) =>
    part.ids.map((id, i) => {
      const named = <Text>(positions: readonly number[] | undefined, texts: readonly Text[]) =>
        (positions ?? []).map((position) => texts[position] as Text);
      const project = part.projectOf[i];
      return {
        id,
        name: part.names[i] as string,
        type: part.types[i] as string,
        state: part.enabled[i] ? (part.health[i] as CheckState) : "paused",
        frequencySeconds: part.frequencySeconds[i] as number,
        locations: named(part.locationsOf[i], part.locations),
        failing: named(part.failing[i], part.locations),
        labels: named(part.labelsOf[i], part.labels),
        project: project === null || project === undefined ? null : (part.projects[project] as string),
        responseTimeMs: part.responseTimeMs[i] ?? null,
        availabilityBp: part.availability24hBp[i] ?? null,
        openSeverity: part.openSeverity[i] ?? null,
      };
    }),
  );
}
