/**
 * Judges which rows of a batch may be stored. Asks the database before it rejects a row that this replica may just not
 * know of yet.
 */
import type { SlotJudgement } from "../../fleet/judge-slot.ts";
import type { ResultColumns } from "./columns.ts";
import type { IngestStore } from "./ingest-store.ts";
import { type IngestSource, type JudgeContext, judgeKey } from "./judge.ts";
import { type Patience, untilDatabaseAnswers } from "./until-database-answers.ts";
import { findWrongValues } from "./value-ranges.ts";

/** A row that is not stored, or is stored without its evidence, and why. */
export interface RowRejection {
  index: number;
  reason: string;
}

/** The knowledge by which rows are judged, and the ways to renew it. */
export interface JudgeBatchOptions {
  store: Pick<IngestStore, "findManualRuns">;
  patience: Patience;
  /** Makes a context for each look, as time and fleet move on. */
  context: () => JudgeContext;
  /** Reads changes of the fleet from the database; rejects while it is away. */
  refreshFleet: () => Promise<void>;
}

/** Returns the indexes of the rows to store, and the rejections of the others. Rejects when the patience ends. */
export async function judgeBatch(
  columns: ResultColumns,
  source: IngestSource,
  options: JudgeBatchOptions,
): Promise<{ accepted: number[]; rejections: RowRejection[] }> {
  const accepted: number[] = [];
  const rejections: RowRejection[] = [];
  const unsure: number[] = [];
  const context = options.context();
  const wrongValues = findWrongValues(columns);
  for (let index = 0; index < columns.checkKeys.length; index++) {
    const wrongValue = wrongValues.size === 0 ? undefined : wrongValues.get(index);
    const judgement: SlotJudgement =
      wrongValue === undefined
        ? judgeKey(keyAt(columns, index), source, context)
        : { kind: "rejected", reason: wrongValue };
    if (judgement.kind === "accepted") accepted.push(index);
    else if (judgement.kind === "unsure") unsure.push(index);
    else rejections.push({ index, reason: judgement.reason });
  }
  if (unsure.length > 0)
    for (const { index, judgement } of await judgeAgain(columns, unsure, { ...options, source })) {
      if (judgement.kind === "accepted") accepted.push(index);
      else rejections.push({ index, reason: judgement.reason });
    }
  return { accepted, rejections };
}

async function judgeAgain(
  columns: ResultColumns,
  indexes: readonly number[],
  { store, patience, context, refreshFleet, source }: JudgeBatchOptions & { source: IngestSource },
): Promise<{ index: number; judgement: SlotJudgement }[]> {
  await untilDatabaseAnswers(refreshFleet, patience);
  const now = context();
  const judged = indexes.map((index) => {
    const key = keyAt(columns, index);
    return { index, key, judgement: judgeKey(key, source, now) };
  });
  const offGrid = judged.filter(
    ({ judgement }) => judgement.kind === "unsure" && judgement.about !== "check",
  );
  if (offGrid.length === 0) return judged;
  const keys = offGrid.map(({ key }) => key);
  const manual = await untilDatabaseAnswers(() => store.findManualRuns(keys), patience);
  for (const [i, entry] of offGrid.entries()) if (manual.has(i)) entry.judgement = { kind: "accepted" };
  return judged;
}

function keyAt(columns: ResultColumns, index: number) {
  return {
    checkKey: columns.checkKeys[index] as number,
    locationKey: columns.locationKeys[index] as number,
    slotMs: columns.slotsMs[index] as number,
  };
}
