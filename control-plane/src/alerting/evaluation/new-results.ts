/**
 * The rows of a stored group as results that rules are judged by. Every success of a check with a rule that a success may
 * begin is looked at in this form, so nothing is copied or parsed before it is asked for.
 */
import type { ResultDetail } from "@svc/contract";
import { traceIdAt } from "../../results/ingest/columns.ts";
import { factsOf } from "../../results/ingest/facts/fact-store.ts";
import { tlsFactStore } from "../../results/ingest/facts/tls.ts";
import type { ResultGroup } from "../../results/ingest/write-group.ts";
import type { NewResult } from "../inputs/judged-result.ts";

type LazyDetail = () => Partial<ResultDetail>;

/** Evidence of a group's rows, by row. */
export interface GroupEvidence {
  details: ReadonlyMap<number, LazyDetail>;
  rowsWithTlsFacts: ReadonlySet<number>;
}

/** Returns the evidence of a group by row. A detail is parsed once, when it is asked for: it may hold a response body. */
export function evidenceByRow({ details, facts }: ResultGroup): GroupEvidence {
  return {
    details: new Map(details.map(({ row, json }) => [row, parsedOnce(json)])),
    rowsWithTlsFacts: new Set(factsOf(facts, tlsFactStore).map(({ row }) => row)),
  };
}

function parsedOnce(json: string): LazyDetail {
  let parsed: Partial<ResultDetail> | undefined;
  return () => {
    parsed ??= JSON.parse(json) as Partial<ResultDetail>;
    return parsed;
  };
}

/** Returns a row of the group as a result, valid as long as the group is not changed. */
export function newResultOf(group: ResultGroup, row: number, evidence: GroupEvidence): NewResult {
  return new RowResult(group.columns, row, evidence);
}

class RowResult implements NewResult {
  readonly #columns: ResultGroup["columns"];
  readonly #row: number;
  readonly #evidence: GroupEvidence;

  constructor(columns: ResultGroup["columns"], row: number, evidence: GroupEvidence) {
    this.#columns = columns;
    this.#row = row;
    this.#evidence = evidence;
  }

  get locationKey() {
    return this.#number("locationKeys");
  }
  get slotMs() {
    return this.#number("slotsMs");
  }
  get status() {
    return this.#number("statuses");
  }
  get runnerKey() {
    return this.#number("runnerKeys");
  }
  get responseTimeUs() {
    return this.#number("responseTimeUs");
  }
  get dnsLookupUs() {
    return this.#phase("dnsLookupUs");
  }
  get tlsHandshakeUs() {
    return this.#phase("tlsHandshakeUs");
  }
  get ttfbUs() {
    return this.#phase("ttfbUs");
  }
  get contentTransferUs() {
    return this.#phase("contentTransferUs");
  }
  get httpStatusCode() {
    return this.#number("httpStatusCodes") || null;
  }
  get traceId() {
    return traceIdAt(this.#columns, this.#row);
  }
  get hasTlsFacts() {
    return this.#evidence.rowsWithTlsFacts.has(this.#row);
  }
  get webVitals() {
    return this.#detail?.webVitals ?? null;
  }
  get errorMessage() {
    return this.#detail?.errorMessage;
  }
  get errorCategory() {
    return this.#detail?.errorCategory;
  }
  get schemaDrift() {
    return this.#detail?.mcpSchemaDrift;
  }

  get #detail(): Partial<ResultDetail> | undefined {
    return this.#evidence.details.get(this.#row)?.();
  }

  #number(column: Exclude<keyof ResultGroup["columns"], "traceIds">): number {
    return this.#columns[column][this.#row] as number;
  }

  /** The column holds -1 for a phase that did not happen. */
  #phase(column: "dnsLookupUs" | "tlsHandshakeUs" | "ttfbUs" | "contentTransferUs"): number | null {
    const us = this.#columns[column][this.#row];
    return us === undefined || us < 0 ? null : us;
  }
}
