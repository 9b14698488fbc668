/** Converts rows of results to the form that the API shows. */
import {
  type AssertionResult,
  type CheckId,
  type CheckType,
  checkTypes,
  type LocationId,
  RESULT_COLUMNS,
  type Result,
  type ResultColumn,
  type ResultDetail,
  type RunnerId,
  type RunReason,
  resultIdOf,
  runIdOf,
  statusOfCode,
  type Timing,
} from "@svc/contract";
import type { ScheduleInForce } from "./coverage/expected-slots.ts";
import { lateMs } from "./lateness.ts";
import { PACKED_FIELD, unpackAssertions } from "./packed-assertions.ts";

/** Value of a column as the table holds it: NULL where the wire has a value for "none". */
type StoredValue<Column extends ResultColumn> =
  | (Column["sqlType"] extends "uuid" ? string : number)
  | (Column extends { none: number | string } ? null : never);

/** The columns of a result, but for its check, which the reader names. */
type StoredColumns = {
  [Column in ResultColumn as Exclude<Column["name"], "checkKey">]: StoredValue<Column>;
};

/** The measured values of a run with their evidence. `status` is the code of the status. */
export interface MeasurementRow extends Omit<StoredColumns, "locationKey"> {
  errorCategory: ResultDetail["errorCategory"] | null;
  errorMessage: string | null;
  /** Null when there is none, or it wasn't asked for. */
  detail: Detail | null;
}

/** A row of `results` with its location's id and the detail, if asked for. */
export interface ResultRow extends MeasurementRow, Pick<StoredColumns, "locationKey"> {
  locationId: LocationId;
  /** Null: the runner is not known any more. */
  runnerId: RunnerId | null;
  /** Null: the run was scheduled. */
  orderedFor: RunReason | null;
}

/** The part of a result that is measured. */
export type Measurement = Omit<
  Result,
  "id" | "checkId" | "runId" | "locationId" | "slotAt" | "reason" | "runnerId" | "lateMs" | "keptAssertions"
>;

/** Stored detail. Fields that only one check type has are stored under their names in the API. */
type Detail = ResultDetail & Record<string, unknown>;

/** The check of some results. */
export interface ResultOwner {
  key: number;
  id: CheckId;
  type: CheckType;
}

/** Columns of the phases of a request; the API names each phase alike, in ms. */
const PHASE_COLUMNS = RESULT_COLUMNS.filter((column) => "none" in column && column.none === -1);

/**
 * Converts a row; the detail's fields are part of the result only when they are asked for.
 * @param options.schedules the check's schedules in force at the slot and when the run was due
 */
export function resultFromRow(
  check: ResultOwner,
  row: ResultRow,
  { withDetail, schedules }: { withDetail: boolean; schedules: readonly ScheduleInForce[] },
): Result {
  const reason = row.orderedFor ?? "scheduled";
  return {
    id: resultIdOf({ slotMs: row.slotMs, checkKey: check.key, locationKey: row.locationKey }),
    checkId: check.id,
    runId: runIdOf({ slotMs: row.slotMs, checkKey: check.key }),
    locationId: row.locationId,
    ...measurementFromRow(check.type, row, { withDetail }),
    slotAt: isoOf(row.slotMs),
    reason,
    runnerId: row.runnerId,
    lateMs: lateMs(check.id, { ...row, reason }, schedules),
  };
}

/** Converts the measured values of a row; the detail's fields are part of them only when they are asked for. */
export function measurementFromRow(
  type: CheckType,
  row: MeasurementRow,
  { withDetail }: { withDetail: boolean },
): Measurement {
  const startedAtMs = row.slotMs + row.startDelayMs;
  return {
    status: statusOfCode(row.status),
    responseTimeMs: msOf(row.responseTimeUs),
    httpStatusCode: row.httpStatusCode,
    timing: timingOf(row),
    traceId: row.traceId === null ? null : row.traceId.replaceAll("-", ""),
    errorCategory: row.errorCategory ?? null,
    errorMessage: row.errorMessage,
    startedAt: isoOf(startedAtMs),
    completedAt: isoOf(startedAtMs + row.elapsedUs / 1000),
    ...(withDetail ? detailOf(type, row.detail ?? {}) : {}),
  };
}

function detailOf(type: CheckType, detail: Partial<Detail>): Partial<Result> {
  return {
    assertions: assertionsOf(detail),
    response: detail.response ?? null,
    attempts: detail.attempts ?? null,
    recoveredOnRetry: detail.recoveredOnRetry ?? false,
    notes: detail.notes ?? null,
    ...Object.fromEntries(
      Object.keys(checkTypes.get(type).detailFields).map((field) => [field, detail[field] ?? null]),
    ),
  };
}

/** Returns the results of assertions that a stored detail holds, in whichever form. */
function assertionsOf(detail: Partial<Detail>): AssertionResult[] | null {
  const packed = detail[PACKED_FIELD];
  return typeof packed === "string" ? unpackAssertions(packed) : (detail.assertions ?? null);
}

function timingOf(row: MeasurementRow): Timing {
  const happened = PHASE_COLUMNS.flatMap(({ name }) => {
    const us = row[name];
    return us === null ? [] : [[name.replace(/Us$/, "Ms"), msOf(us)] as const];
  });
  return { ...Object.fromEntries(happened), totalMs: msOf(row.responseTimeUs) };
}

function msOf(us: number): number {
  return us / 1000;
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
