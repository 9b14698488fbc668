/** Which rows of a batch may be stored. Looks at the database before it rejects what may only be news to this replica. */
import type { Knex } from "knex";
import type { ResultColumns } from "./columns.ts";
import { type IngestSource, type JudgeContext, judgeRow, type Verdict } from "./judge.ts";
import { findManualRuns } from "./store.ts";
import { type Patience, untilDatabaseAnswers } from "./until-database-answers.ts";

/** A row that is not stored, or stored without its evidence, and why. */
export interface RowRejection {
  index: number;
  reason: string;
}

export interface JudgeBatchOptions {
  knex: Knex;
  patience: Patience;
  /** Made anew for each look, as time and fleet move on. */
  context: () => JudgeContext;
  /** Looks at the database for changes of the fleet; rejects while it is away. */
  refreshFleet: () => Promise<void>;
}

/** Indexes of the rows to store, and the rejections of the others. Rejects when the patience ends. */
export async function judgeBatch(
  columns: ResultColumns,
  source: IngestSource,
  options: JudgeBatchOptions,
): Promise<{ accepted: number[]; rejections: RowRejection[] }> {
  const accepted: number[] = [];
  const rejections: RowRejection[] = [];
  const unsure: number[] = [];
  const context = options.context();
  for (let i = 0; i < columns.checkKeys.length; i++) {
    const verdict = judgeRow(columns, i, source, context);
    if (verdict.kind === "accepted") accepted.push(i);
    else if (verdict.kind === "unsure") unsure.push(i);
    else rejections.push({ index: i, reason: verdict.reason });
  }
  if (unsure.length > 0)
    for (const { index, verdict } of await judgeAgain(columns, unsure, source, options)) {
      if (verdict.kind === "accepted") accepted.push(index);
      else rejections.push({ index, reason: verdict.reason });
    }
  return { accepted, rejections };
}

async function judgeAgain(
  columns: ResultColumns,
  indexes: readonly number[],
  source: IngestSource,
  { knex, patience, context, refreshFleet }: JudgeBatchOptions,
): Promise<{ index: number; verdict: Verdict }[]> {
  await untilDatabaseAnswers(refreshFleet, patience);
  const now = context();
  const verdicts = indexes.map((index) => ({ index, verdict: judgeRow(columns, index, source, now) }));
  const offGrid = verdicts
    .filter(({ verdict }) => verdict.kind === "unsure" && verdict.about !== "check")
    .map((entry) => ({
      entry,
      checkKey: columns.checkKeys[entry.index] as number,
      locationKey: columns.locationKeys[entry.index] as number,
      slotMs: columns.slotsMs[entry.index] as number,
    }));
  if (offGrid.length === 0) return verdicts;
  const manual = await untilDatabaseAnswers(() => findManualRuns(knex, offGrid), patience);
  for (const [i, row] of offGrid.entries()) if (manual.has(i)) row.entry.verdict = { kind: "accepted" };
  return verdicts;
}
