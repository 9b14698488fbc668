/**
 * The form of a recording: what the service has stored about the checks of one outage. Instants are seconds before the moment
 * of the analysis, so that a recording means the same whenever it is made.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CheckType, MissingReason, ResultDetail, ResultStatus } from "@svc/contract";
import type { Cause } from "./causes.ts";

/** Folder of the recordings, a file each, named after their ids. */
export const OUTAGES = join(import.meta.dirname, "outages");

/** The moment of the analysis of every recording, Unix ms. */
export const NOW_MS = Date.UTC(2026, 5, 1, 12);

/** Durations of the phases, ms with one decimal; null: the phase did not happen. */
type Phases = [
  totalMs: number,
  dnsLookupMs: number | null,
  tcpConnectMs: number | null,
  tlsHandshakeMs: number | null,
  ttfbMs: number | null,
  contentTransferMs: number | null,
];

/** A stored result. `detail` is an index into the check's `details`. */
export type RecordedResult = [
  slotAgoSeconds: number,
  status: ResultStatus,
  httpStatusCode: number | null,
  phases: Phases,
  detail?: number,
];

/** A check, with all that is stored of it. The first check of a recording is the one that is analysed. */
export interface RecordedCheck {
  name: string;
  type: CheckType;
  url: string;
  frequencySeconds: number;
  /** Conditions of the alert that began; empty when none did. */
  conditions: string[];
  /** The certificate that was seen last, and for how long it is valid from the moment of the analysis. */
  certificate?: { validForSeconds: number; isTrusted: boolean; trustError: string | null };
  /** Details of results, each once. */
  details: ResultDetail[];
  /** Results by location, newest first. */
  results: Record<string, RecordedResult[]>;
  /** Slots without a result of the last six hours, and the slots that were due. */
  missing: { locationId: string; expected: number; reasons: Partial<Record<MissingReason, number>> }[];
}

/** A recorded outage. */
export interface Recording {
  id: string;
  cause: Cause;
  /** One sentence: what was broken. */
  broken: string;
  checks: RecordedCheck[];
  deployments: { service: string; version: string; agoSeconds: number }[];
}

/** Half of the corpus that a recording belongs to: rules are developed on one and only measured on the other. */
export type Half = "training" | "held out";

/** Returns the half of a recording, which follows from its id alone, so that nobody chooses it. */
export function halfOf(id: string): Half {
  return createHash("sha256").update(id).digest().readUInt8() % 2 === 0 ? "training" : "held out";
}

/** Returns all recordings, in the order of their ids. */
export function readRecordings(): Recording[] {
  return readdirSync(OUTAGES)
    .filter((file) => file.endsWith(".json"))
    .map((file) => file.slice(0, -".json".length))
    .sort()
    .map((id) => JSON.parse(readFileSync(join(OUTAGES, `${id}.json`), "utf8")) as Recording);
}
