/** What conditions are judged by. Built from stored rows by load-facts.ts; conditions see nothing else. */
import {
  type BaselineMetric,
  isSuccessCode,
  type McpSchemaDriftFacts,
  type ResultDetail,
  resultIdOf,
  type TlsFacts,
} from "@svc/contract";

/** A stored result as conditions see it. Durations in microseconds; null: the phase did not happen. */
export interface ResultFact {
  locationKey: number;
  slotMs: number;
  /** 1 success, 2 failure, 3 error, 4 timeout. */
  status: number;
  runnerKey: number;
  responseTimeUs: number;
  dnsLookupUs: number | null;
  tlsHandshakeUs: number | null;
  ttfbUs: number | null;
  contentTransferUs: number | null;
  httpStatusCode: number | null;
  traceId: string | null;
  webVitals?: ResultDetail["webVitals"] | null;
}

/** A result that this transaction stored, with what came beside it. */
export interface FreshResult extends ResultFact {
  /** Whether the run reported certificate facts: it does when they changed. */
  hasTlsFacts: boolean;
  errorMessage?: string | undefined;
  schemaDrift?: McpSchemaDriftFacts | undefined;
}

/** What a location saw of the certificate and the connection, from a slot on. */
export interface TlsObservation {
  firstSlotMs: number;
  facts: TlsFacts;
}

/** One of the check's present locations. */
export interface LocationFacts {
  locationKey: number;
  locationId: string;
  name: string;
  /** Newest first; as many as any condition asked for, and the newest success behind them when one asked for that. */
  results: readonly ResultFact[];
  /** Newest first: the one that holds and the one before. */
  tls: readonly TlsObservation[];
  /** The newest due slots as far back as none has a result, newest first. */
  missedSlotsMs: readonly number[];
}

/** Mean and deviation of a metric at a location in one hour of the week. */
export interface Baseline {
  sampleCount: number;
  mean: number;
  deviation: number;
}

/** Everything about a check at the moment of one of its results (or of a look between results). */
export interface Facts {
  checkKey: number;
  /** The result that is looked at; undefined: none, time has passed. */
  fresh: FreshResult | undefined;
  /** Unix ms: the slot of that result, or now. */
  atMs: number;
  locations: readonly LocationFacts[];
  /** Undefined: not enough is known. */
  baselineOf(metric: BaselineMetric, locationKey: number, slotMs: number): Baseline | undefined;
  /** How fast an SLO's budget was spent over the last minutes; undefined: not known. */
  burnRateOf(sloId: string, windowMinutes: number): number | undefined;
}

export function isSuccess(result: Pick<ResultFact, "status">): boolean {
  return isSuccessCode(result.status);
}

export function resultIdOfFact(
  checkKey: number,
  { locationKey, slotMs }: Pick<ResultFact, "locationKey" | "slotMs">,
): string {
  return resultIdOf({ slotMs, checkKey, locationKey });
}
