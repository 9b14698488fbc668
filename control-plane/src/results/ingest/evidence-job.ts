/** The check of large evidence in a job thread: whoever sends it decides what the check costs. */
import { defineThreadJob } from "../../platform/threads/thread-job.ts";
import { type Evidence, parseDetail, parseFact } from "./parse-evidence.ts";

/** JSON that came beside a result. */
export interface EvidenceInput {
  /** Kind of the fact; null: it is the result's detail. */
  kind: string | null;
  json: string;
}

/** The JSON to store, or the reason why there is none. */
export type CheckedEvidence = { ok: true; json: string } | { ok: false; reason: string };

/** An honest detail of the largest size takes a tenth of it. */
export const evidenceJob = defineThreadJob<EvidenceInput, CheckedEvidence>("check_evidence", 1_000);

/** The work of {@link evidenceJob}. */
export function checkEvidence(input: EvidenceInput): CheckedEvidence {
  const evidence = parseEvidenceOf(input);
  return evidence.ok ? { ok: true, json: evidence.json } : evidence;
}

/** Checks evidence by the schema of its kind. */
export function parseEvidenceOf({ kind, json }: EvidenceInput): Evidence<unknown> {
  return kind === null ? parseDetail(json) : parseFact(kind, json);
}
