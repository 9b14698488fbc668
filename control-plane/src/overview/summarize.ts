/** Puts what is known of a page of checks into the columns of a summary. Pure. */
import { type ChecksSummary, isSuccessCode, SEVERITIES, type Severity } from "@svc/contract";
import { healthOfStatuses } from "../results/health-of-statuses.ts";
import type { RecentResultRow } from "../results/store.ts";
import type { ListedCheckRow } from "./store.ts";

/** What a summary is made from. */
export interface SummaryInput {
  /** When it is made, Unix ms. */
  asOfMs: number;
  checks: readonly ListedCheckRow[];
  /** The newest result of each check location; rows without one have no slot. */
  newest: readonly RecentResultRow[];
  /** Basis points by check key. */
  availability: ReadonlyMap<number, number>;
  severities: readonly { checkKey: number; severity: Severity }[];
  /** Project by check id. */
  projects: ReadonlyMap<string, string>;
}

/** Texts that many checks share, by their position in a list. */
class Dictionary<Text extends string> {
  readonly texts: Text[] = [];
  readonly #positions = new Map<Text, number>();

  positionOf(text: Text): number {
    let position = this.#positions.get(text);
    if (position === undefined) {
      position = this.texts.push(text) - 1;
      this.#positions.set(text, position);
    }
    return position;
  }
}

/** Returns the columns, in the order of the checks. */
export function summarize({
  asOfMs,
  checks,
  newest,
  availability,
  severities,
  projects,
}: SummaryInput): ChecksSummary {
  const [locations, labels, projectNames] = [
    new Dictionary<ChecksSummary["locations"][number]>(),
    new Dictionary<string>(),
    new Dictionary<string>(),
  ];
  const newestOf = newestByCheck(newest);
  const severityOf = highestByCheck(severities);
  const summary: ChecksSummary = {
    asOf: new Date(asOfMs).toISOString(),
    locations: locations.texts,
    labels: labels.texts,
    projects: projectNames.texts,
    ids: [],
    names: [],
    types: [],
    enabled: [],
    frequencySeconds: [],
    locationsOf: [],
    labelsOf: [],
    projectOf: [],
    health: [],
    failing: [],
    newestSlotMs: [],
    responseTimeMs: [],
    availability24hBp: [],
    openSeverity: [],
  };
  for (const check of checks) {
    const results = newestOf.get(check.key) ?? [];
    const last = results.reduce<NewestResult | undefined>(
      (a, b) => (a === undefined || b.slotMs > a.slotMs ? b : a),
      undefined,
    );
    const project = projects.get(check.id);
    summary.ids.push(check.id);
    summary.names.push(check.name);
    summary.types.push(check.type);
    summary.enabled.push(check.enabled);
    summary.frequencySeconds.push(check.frequencySeconds);
    summary.locationsOf.push(check.locationIds.map((id) => locations.positionOf(id)));
    summary.labelsOf.push((check.labels ?? []).map((label) => labels.positionOf(label)));
    summary.projectOf.push(project === undefined ? null : projectNames.positionOf(project));
    summary.health.push(healthOfStatuses(results.map(({ status }) => status)));
    summary.failing.push(
      results.flatMap(({ status, locationId }) =>
        isSuccessCode(status) ? [] : [locations.positionOf(locationId)],
      ),
    );
    summary.newestSlotMs.push(last?.slotMs ?? null);
    summary.responseTimeMs.push(last ? last.responseTimeUs / 1000 : null);
    summary.availability24hBp.push(availability.get(check.key) ?? null);
    summary.openSeverity.push(severityOf.get(check.key) ?? null);
  }
  return summary;
}

type NewestResult = RecentResultRow & {
  locationId: NonNullable<RecentResultRow["locationId"]>;
  slotMs: number;
};

function newestByCheck(rows: readonly RecentResultRow[]): Map<number, NewestResult[]> {
  const byCheck = new Map<number, NewestResult[]>();
  for (const row of rows) {
    if (row.slotMs === null || row.locationId === null) continue;
    const known = byCheck.get(row.checkKey);
    if (known) known.push(row as NewestResult);
    else byCheck.set(row.checkKey, [row as NewestResult]);
  }
  return byCheck;
}

function highestByCheck(rows: SummaryInput["severities"]): Map<number, Severity> {
  const rank = (severity: Severity) => SEVERITIES.indexOf(severity);
  const highest = new Map<number, Severity>();
  for (const { checkKey, severity } of rows) {
    const known = highest.get(checkKey);
    if (known === undefined || rank(severity) < rank(known)) highest.set(checkKey, severity);
  }
  return highest;
}
