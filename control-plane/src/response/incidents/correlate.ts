/** Correlation: decides which incident an alert joins. Pure, and linear in the alerts: a storm brings thousands at once. */
import { type AlertInstanceId, type AlertRuleId, MINUTE_MS } from "@svc/contract";
import { type Dimension, suffices } from "./dimensions.ts";

/** Largest distance between the starts of two alerts of one incident, whatever they share. */
export const CORRELATION_WINDOW_MS = 5 * MINUTE_MS;

/** An alert that is to join an incident. */
export interface AlertToCorrelate {
  instanceId: AlertInstanceId;
  ruleId: AlertRuleId;
  /** Unix ms. */
  startedAtMs: number;
  dimensions: readonly Dimension[];
}

/** An incident that is open or acknowledged. Only the dimensions and rules of the alerts at hand are loaded. */
export interface ActiveIncident {
  key: number;
  /** Starts of the first and the last member with a dimension, by dimension. */
  spans: Map<Dimension, Span>;
  /** Rules of the members. */
  ruleIds: Set<AlertRuleId>;
}

/** Instants in Unix ms. */
interface Span {
  firstMs: number;
  lastMs: number;
}

/** The incident that an alert joins: an existing one by its key, a new one by a negative number. */
export interface Correlation {
  alert: AlertToCorrelate;
  incidentKey: number;
}

/**
 * Returns the placement of each alert, oldest first. An alert joins the incident with which it shares most dimensions
 * that suffice, each with a member that began within the window; of equals the oldest. A rule that fires again joins
 * the incident that it is in, whatever the time: a target that comes and goes is one incident. The alerts at hand may
 * form incidents among themselves, too.
 */
export function correlate(
  alerts: readonly AlertToCorrelate[],
  active: readonly ActiveIncident[],
): Correlation[] {
  const known = new KnownIncidents(active);
  return [...alerts]
    .sort((a, b) => a.startedAtMs - b.startedAtMs)
    .map((alert) => ({ alert, incidentKey: known.join(alert) }));
}

class KnownIncidents {
  /** Incidents by dimension, each with its span, oldest first. */
  readonly #byDimension = new Map<Dimension, Map<number, Span>>();
  readonly #byRule = new Map<AlertRuleId, number>();
  #nextNewKey = -1;

  constructor(active: readonly ActiveIncident[]) {
    for (const { key, spans, ruleIds } of [...active].sort((a, b) => a.key - b.key)) {
      for (const [dimension, span] of spans)
        if (suffices(dimension)) this.#incidentsOf(dimension).set(key, { ...span });
      for (const ruleId of ruleIds) this.#byRule.set(ruleId, key);
    }
  }

  join(alert: AlertToCorrelate): number {
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

  #closest({ dimensions, startedAtMs }: AlertToCorrelate): number | undefined {
    const shared = new Map<number, number>();
    for (const dimension of dimensions.filter(suffices))
      for (const [key, { firstMs, lastMs }] of this.#byDimension.get(dimension) ?? [])
        if (startedAtMs - lastMs <= CORRELATION_WINDOW_MS && firstMs - startedAtMs <= CORRELATION_WINDOW_MS)
          shared.set(key, (shared.get(key) ?? 0) + 1);
    let best: number | undefined;
    // The map keeps the order of insertion, which is by age within a dimension.
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

/** True when incident `a` is older than `b`. Stored incidents are older than new ones, whose numbers count down. */
function isOlder(a: number, b: number): boolean {
  if (a > 0 !== b > 0) return a > 0;
  return a > 0 ? a < b : a > b;
}
