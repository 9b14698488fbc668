/**
 * The columns of a result, named once. The agent's record and spool, the wire's batch, ingest and its SQL are built
 * from this list, so that a further measured value is added here, in the protocol, in a migration and where it is
 * measured.
 *
 * The order is that of the record in the spool. Changing it makes spooled results unreadable: it needs a further version of
 * that format.
 */

import { RESULT_STATUSES, type ResultStatus } from "../base/result-status.ts";
import { DAY_MS, MINUTE_MS } from "../base/time.ts";

interface ResultColumnDefinition {
  /** Field of one result, with its unit. */
  name: string;
  /** Field of `svc.runner.v1.ResultBatch`, which holds the values of all results. */
  batchField: string;
  /** Type of one value on the wire. */
  wireType: "uint64" | "int64" | "uint32" | "sint32" | "status" | "trace_id";
  /** Column of the table `results`. */
  sqlName: string;
  sqlType: "bigint" | "integer" | "smallint" | "uuid";
  /** Value on the wire for "there is none", stored as NULL. Absent when there always is a value. */
  none?: number | string;
  /**
   * Smallest and largest value that is stored, both included; `none` is one of the values between. Keys are judged in
   * another way.
   */
  range?: readonly [min: number, max: number];
  meaning: string;
}

const INT32_MAX = 2 ** 31 - 1;
/** Values of a phase's column: microseconds, or -1 when the phase did not happen. */
const PHASE = { wireType: "sint32", sqlType: "integer", none: -1, range: [-1, INT32_MAX] } as const;

/** Longest time before its slot at which a run may begin, by the control plane's clock, ms. */
export const START_AHEAD_MS_MAX = MINUTE_MS;

/** The columns of a result on the wire, in the order in which a batch carries them. */
export const RESULT_COLUMNS = [
  {
    name: "checkKey",
    batchField: "checkKeys",
    wireType: "uint64",
    sqlName: "check_key",
    sqlType: "bigint",
    meaning: "Key of the check.",
  },
  {
    name: "locationKey",
    batchField: "locationKeys",
    wireType: "uint32",
    sqlName: "location_key",
    sqlType: "integer",
    meaning: "Key of the location.",
  },
  {
    name: "slotMs",
    batchField: "slotsMs",
    wireType: "int64",
    sqlName: "slot_ms",
    sqlType: "bigint",
    meaning: "The slot, Unix ms of the control plane's clock.",
  },
  {
    name: "startDelayMs",
    batchField: "startDelaysMs",
    wireType: "sint32",
    sqlName: "start_delay_ms",
    sqlType: "integer",
    range: [-START_AHEAD_MS_MAX, 2 * DAY_MS],
    meaning: "Start of the run minus its slot, ms. The location's stagger is part of it.",
  },
  {
    name: "elapsedUs",
    batchField: "elapsedUs",
    wireType: "uint32",
    sqlName: "elapsed_us",
    sqlType: "integer",
    range: [0, INT32_MAX],
    meaning: "From the start of the run to its end, retries included, microseconds.",
  },
  {
    name: "status",
    batchField: "statuses",
    wireType: "status",
    sqlName: "status",
    sqlType: "smallint",
    range: [1, RESULT_STATUSES.length],
    meaning: "The status; a number on the wire and in the table (see result-status.ts).",
  },
  {
    name: "httpStatusCode",
    batchField: "httpStatusCodes",
    wireType: "uint32",
    sqlName: "http_status_code",
    sqlType: "smallint",
    none: 0,
    range: [0, 999],
    meaning: "Status code of the last response; 0: there was no response.",
  },
  {
    name: "responseTimeUs",
    batchField: "responseTimeUs",
    wireType: "sint32",
    sqlName: "response_time_us",
    sqlType: "integer",
    range: [0, INT32_MAX],
    meaning: "Time of the last attempt, microseconds.",
  },
  { name: "dnsLookupUs", batchField: "dnsLookupUs", sqlName: "dns_lookup_us", ...PHASE, meaning: "Phase." },
  {
    name: "tcpConnectUs",
    batchField: "tcpConnectUs",
    sqlName: "tcp_connect_us",
    ...PHASE,
    meaning: "Phase.",
  },
  {
    name: "tlsHandshakeUs",
    batchField: "tlsHandshakeUs",
    sqlName: "tls_handshake_us",
    ...PHASE,
    meaning: "Phase.",
  },
  {
    name: "ttfbUs",
    batchField: "ttfbUs",
    sqlName: "ttfb_us",
    ...PHASE,
    meaning: "Phase: from the request sent to the first byte of the response.",
  },
  {
    name: "contentTransferUs",
    batchField: "contentTransferUs",
    sqlName: "content_transfer_us",
    ...PHASE,
    meaning: "Phase: from the first byte of the response to its last.",
  },
  {
    name: "traceId",
    batchField: "traceIds",
    wireType: "trace_id",
    sqlName: "trace_id",
    sqlType: "uuid",
    none: "",
    meaning:
      "W3C trace id that was sent with the request, 32 hex digits; 16 bytes on the wire. Empty: none was sent.",
  },
] as const satisfies readonly ResultColumnDefinition[];

/** The definition of one column: its names, types, unit and meaning. */
export type ResultColumn = (typeof RESULT_COLUMNS)[number];

/** A trace id's length on the wire. */
export const TRACE_ID_BYTES = 16;

/** One result, a value for each column. */
export type ResultValues = { [Column in ResultColumn as Column["name"]]: ValueOf<Column["wireType"]> };

type ValueOf<WireType extends ResultColumn["wireType"]> = WireType extends "status"
  ? ResultStatus
  : WireType extends "trace_id"
    ? string
    : number;
