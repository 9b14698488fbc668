/** Which incident an alert joins. Pure, and linear in the alerts: a storm brings thousands at once. */
import { type Dimension, suffices } from "./dimensions.ts";

/** Alerts that begin further apart are not one incident, however much they share. */
export const CORRELATION_WINDOW_MS = 300_000;

export interface AlertToPlace {
  instanceId: string;
  ruleId: string;
  startedAtMs: number;
  dimensions: readonly Dimension[];
}

/** An incident that is open or acknowledged, as far as the alerts at hand can touch it. */
export interface ActiveIncident {
  key: number;
  /** By dimension, when the first and the last of its members with it began. */
  spans: Map<Dimension, Span>;
  /** Rules that its members fired by. */
  ruleIds: Set<string>;
}

export interface Span {
  firstMs: number;
  lastMs: number;
}

/** An incident's place in the answer: one that is there by its key, a new one by a negative number of its own. */
export interface Placement {
  alert: AlertToPlace;
  incidentKey: number;
}

/**
 * Places alerts, oldest first. An alert joins the incident with which it shares most dimensions that suffice, each with a
 * member that began within the window; of equals the oldest. A rule that fires again joins the incident that it is in,
 * whatever the time: a target that comes and goes is one incident. Alerts at hand form incidents among themselves, too.
 */
export function correlate(alerts: readonly AlertToPlace[], active: readonly ActiveIncident[]): Placement[] {
  const known = new KnownIncidents(active);
  return [...alerts]
    .sort((a, b) => a.startedAtMs - b.startedAtMs)
    .map((alert) => ({ alert, incidentKey: known.place(alert) }));
}

class KnownIncidents {
  /** By dimension, incidents with its span, oldest first. */
  readonly #byDimension = new Map<Dimension, Map<number, Span>>();
  readonly #byRule = new Map<string, number>();
  #nextNewKey = -1;

  constructor(active: readonly ActiveIncident[]) {
    for (const { key, spans, ruleIds } of [...active].sort((a, b) => a.key - b.key)) {
      for (const [dimension, span] of spans)
        if (suffices(dimension)) this.#incidentsOf(dimension).set(key, { ...span });
      for (const ruleId of ruleIds) this.#byRule.set(ruleId, key);
    }
  }

  place(alert: AlertToPlace): number {
    const key = this.#byRule.get(alert.ruleId) ?? this.#closest(alert) ?? this.#nextNewKey--;
    this.#byRule.set(alert.ruleId, key);
    for (const dimension of alert.dimensions.filter(suffices)) {
      const span = this.#incidentsOf(dimension).get(key);
      this.#incidentsOf(dimension).set(key, {
        firstMs: Math.min(span?.firstMs ?? alert.startedAtMs, alert.startedAtMs),
        lastMs: Math.max(span?.lastMs ?? alert.startedAtMs, alert.startedAtMs),
      });
    }
    return key;
  }

  #closest({ dimensions, startedAtMs }: AlertToPlace): number | undefined {
    const shared = new Map<number, number>();
    for (const dimension of dimensions.filter(suffices))
      for (const [key, { firstMs, lastMs }] of this.#byDimension.get(dimension) ?? [])
        if (startedAtMs - lastMs <= CORRELATION_WINDOW_MS && firstMs - startedAtMs <= CORRELATION_WINDOW_MS)
          shared.set(key, (shared.get(key) ?? 0) + 1);
    let best: number | undefined;
    // In the order in which they were met, which is by age within a dimension.
    for (const [key, count] of shared)
      if (
        best === undefined ||
        count > (shared.get(best) ?? 0) ||
        (count === shared.get(best) && isOlder(key, best))
      )
        best = key;
    return best;
  }

  #incidentsOf(dimension: Dimension): Map<number, Span> {
    let incidents = this.#byDimension.get(dimension);
    if (!incidents) {
      incidents = new Map();
      this.#byDimension.set(dimension, incidents);
    }
    return incidents;
  }
}

/** Stored ones are older than new ones; among new ones the number counts down. */
function isOlder(a: number, b: number): boolean {
  if (a > 0 !== b > 0) return a > 0;
  return a > 0 ? a < b : a > b;
}
