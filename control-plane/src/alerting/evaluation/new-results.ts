/**
 * The rows of a group as results that rules are judged by. Every success with a rule that a success may begin is looked at
 * in this way, so nothing is copied or parsed before it is asked for.
 */
import type { ResultDetail } from "@svc/contract";
import { factsOfKind } from "../../results/ingest/facts/fact-kind.ts";
import { tlsFact } from "../../results/ingest/facts/tls.ts";
import type { ResultGroup } from "../../results/ingest/write-group.ts";
import type { FreshResult } from "../conditions/condition-input.ts";

type Detail = () => Partial<ResultDetail>;

/** What came beside the rows of a group. */
export interface News {
  details: ReadonlyMap<number, Detail>;
  hasTlsFacts: ReadonlySet<number>;
}

/** Details are parsed when something of them is asked for, once: they hold whole response bodies. */
export function readNews({ details, facts }: ResultGroup): News {
  const lazily = (json: string): Detail => {
    let parsed: Partial<ResultDetail> | undefined;
    return () => {
      parsed ??= JSON.parse(json) as Partial<ResultDetail>;
      return parsed;
    };
  };
  return {
    details: new Map(details.map(({ row, json }) => [row, lazily(json)])),
    hasTlsFacts: new Set(factsOfKind(facts, tlsFact).map(({ row }) => row)),
  };
}

/** A row of the group; valid as long as the group is not changed. */
export function freshResult(group: ResultGroup, row: number, news: News): FreshResult {
  return new RowResult(group.columns, row, news);
}

class RowResult implements FreshResult {
  readonly #columns: ResultGroup["columns"];
  readonly #row: number;
  readonly #news: News;

  constructor(columns: ResultGroup["columns"], row: number, news: News) {
    this.#columns = columns;
    this.#row = row;
    this.#news = news;
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
    const traceId = this.#columns.traceIds[this.#row] as string;
    return traceId === "NULL" ? null : traceId.replaceAll("-", "");
  }
  get hasTlsFacts() {
    return this.#news.hasTlsFacts.has(this.#row);
  }
  get webVitals() {
    return this.#detail?.webVitals ?? null;
  }
  get errorMessage() {
    return this.#detail?.errorMessage;
  }
  get schemaDrift() {
    return this.#detail?.mcpSchemaDrift;
  }

  get #detail(): Partial<ResultDetail> | undefined {
    return this.#news.details.get(this.#row)?.();
  }

  #number(column: Exclude<keyof ResultGroup["columns"], "traceIds">): number {
    return this.#columns[column][this.#row] as number;
  }

  /** -1: the phase did not happen. */
  #phase(column: "dnsLookupUs" | "tlsHandshakeUs" | "ttfbUs" | "contentTransferUs"): number | null {
    const us = this.#columns[column][this.#row];
    return us === undefined || us < 0 ? null : us;
  }
}
