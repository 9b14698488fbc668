/** Stores the reports of runners about test runs. */
import {
  findUnstorableText,
  RESULT_COLUMNS,
  type ResultDetail,
  RUN_FAULTS,
  type RunFaultReason,
  type TestRunResult,
} from "@svc/contract";
import type { ResultBatch, TestRunPicture, TestRunReport } from "@svc/proto/svc/runner/v1/runner_pb";
import type { Services } from "../../platform/services.ts";
import { columnsFromBatch } from "../../results/ingest/columns.ts";
import { parseDetail } from "../../results/ingest/parse-evidence.ts";
import { findWrongValues } from "../../results/ingest/value-ranges.ts";
import { type MeasurementRow, measurementFromRow } from "../../results/row.ts";
import { changeTestRun, typeOfTestRun } from "./store.ts";

/** Sentences for the person who began the test run, by the reason why the runner could not run it. */
const PROBLEMS: Readonly<Record<RunFaultReason, string>> = {
  capacity: "The runner was too busy for it. Try again.",
  crash: "The program that ran it ended unexpectedly.",
  out_of_memory: "The runner was out of memory.",
  network: "The runner's own network is unusable.",
  draining: "The runner is stopping. Try again.",
  unsupported: "The runner does not understand this configuration: update svc-runner there.",
  previous_run: "The runner was too busy for it. Try again.",
};

/** Most pictures of a test run at a location, and their bytes together. */
const PICTURES_MAX = 6;
const PICTURE_BYTES_MAX = 1024 * 1024;
const STEP_CHARACTERS_MAX = 255;
/** First bytes of every JPEG. */
const JPEG_START = [0xff, 0xd8, 0xff];

/** Stores a report of a runner. One about a test run that is not the runner's, or has ended, changes nothing. */
export async function receiveTestRunReport(
  services: Services,
  { testRunId: id, locationKey, report, pictures }: TestRunReport,
  runnerKey: number,
): Promise<void> {
  const { knex } = services;
  const about = { id, locationKey, runnerKey };
  const fail = (problem: string) => changeTestRun(knex, { ...about, phase: "failed", problem });
  if (report.case === "started") return changeTestRun(knex, { ...about, phase: "running" });
  if (report.case === "fault") return fail(problemOf(report.value));
  if (report.case !== "result") return;
  const type = await typeOfTestRun(knex, id);
  const row = measurementOf(report.value);
  if (type === undefined) return;
  if (typeof row === "string") return fail(`The runner's answer can't be read: ${row}`);
  const result = measurementFromRow(type, row, { withDetail: true }) as TestRunResult;
  return changeTestRun(knex, { ...about, phase: "done", result, pictures: usablePictures(pictures) });
}

/** Returns the pictures that may be shown: JPEG, within the limits. A runner may send anything. */
function usablePictures(pictures: readonly TestRunPicture[]): { step: string; jpeg: Uint8Array }[] {
  let bytes = 0;
  return pictures.slice(0, PICTURES_MAX).flatMap(({ step, jpeg }) => {
    bytes += jpeg.length;
    const isUsable = bytes <= PICTURE_BYTES_MAX && JPEG_START.every((byte, at) => jpeg[at] === byte);
    return isUsable ? [{ step: storableStep(step), jpeg }] : [];
  });
}

function problemOf(wireNumber: number): string {
  const reasons = Object.keys(RUN_FAULTS) as RunFaultReason[];
  const reason = reasons.find((name) => RUN_FAULTS[name].wireNumber === wireNumber);
  return reason ? PROBLEMS[reason] : "The runner could not run it.";
}

/** Returns the name of a step as it can be stored; empty where it can't. */
function storableStep(step: string): string {
  const name = step.slice(0, STEP_CHARACTERS_MAX);
  return findUnstorableText(name) ? "" : name;
}

/** Returns the one result of a batch, or why it is none. */
function measurementOf(batch: ResultBatch): MeasurementRow | string {
  const columns = columnsFromBatch(batch, 0);
  if (columns?.checkKeys.length !== 1) return "expected one result";
  const wrong = findWrongValues(columns).get(0);
  if (wrong !== undefined) return wrong;
  const [given] = batch.details;
  const evidence = given && parseDetail(given.detailJson);
  if (evidence && !evidence.ok) return evidence.reason;
  const detail: ResultDetail & Record<string, unknown> = evidence?.value ?? {};
  return {
    ...storedValues(columns),
    errorCategory: detail.errorCategory ?? null,
    errorMessage: detail.errorMessage ?? null,
    detail,
  };
}

/** Returns the first row of the columns as a table would hold it: null where the wire has a value for "none". */
function storedValues(
  columns: NonNullable<ReturnType<typeof columnsFromBatch>>,
): Omit<MeasurementRow, "errorCategory" | "errorMessage" | "detail"> {
  const entries = RESULT_COLUMNS.map((column) => {
    if (column.wireType === "trace_id") {
      const id = columns.traceIds[0];
      return [column.name, id === "NULL" ? null : id];
    }
    const value = columns[column.batchField][0];
    return [column.name, "none" in column && value === column.none ? null : value];
  });
  return Object.fromEntries(entries);
}
