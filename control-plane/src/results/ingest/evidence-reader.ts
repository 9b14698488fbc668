/**
 * Checks the evidence of accepted results, and no other: sizes first, then one detail and one fact of each kind for a
 * result. What could hold the event loop, by its number of values, is checked in a job thread, one job of a team at a
 * time; the rest is checked in place, in slices of some milliseconds for all senders together.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { TeamId } from "@svc/contract";
import pLimit, { type LimitFunction } from "p-limit";
import { monotonicMs } from "../../platform/clock.ts";
import { JobOverrun, ThreadPool } from "../../platform/threads/thread-pool.ts";
import { type EvidenceInput, evidenceJob, parseEvidenceOf } from "./evidence-job.ts";
import { EVIDENCE_BYTES_MAX, type Evidence } from "./parse-evidence.ts";

/** Evidence beside the results of a batch. */
export interface BatchEvidence {
  details: readonly { index: number; json: string }[];
  facts: readonly { index: number; kind: string; json: string }[];
}

/** Evidence that can be stored. `index` is that of its result in the batch. */
export interface ReadEvidence {
  details: { index: number; json: string }[];
  facts: { index: number; kind: string; value: unknown; json: string }[];
  /** Reasons why evidence can't be stored; the results themselves are stored nevertheless. */
  refused: { index: number; reason: string }[];
  bytes: number;
}

/** Evidence of more values is checked in a thread; headers and assertions of an ordinary failure are fewer. */
const VALUES_ON_LOOP_MAX = 400;
/** Time for which evidence is checked before other work of the loop has its turn. */
const SLICE_MS = 8;

/** Returns the evidence of accepted results, checked; malformed evidence is left out and named. */
export class EvidenceReader {
  readonly #pool = new ThreadPool();
  readonly #lanes = new Map<TeamId, LimitFunction>();
  #sliceFromMs = Number.NEGATIVE_INFINITY;
  #nextSlice: Promise<void> | undefined;

  /** @param teamOf team of a result's check, by the result's index; undefined: the result was not accepted */
  async read(batch: BatchEvidence, teamOf: (index: number) => TeamId | undefined): Promise<ReadEvidence> {
    const read: ReadEvidence = { details: [], facts: [], refused: [], bytes: 0 };
    const seen = new Set<string>();
    const check = async (index: number, input: EvidenceInput): Promise<Evidence<unknown> | undefined> => {
      const teamId = teamOf(index);
      if (teamId === undefined) return undefined;
      const name = input.kind === null ? "detail" : `${input.kind.slice(0, 64)} fact`;
      const id = `${index} ${name}`;
      const evidence: Evidence<unknown> = seen.has(id)
        ? { ok: false, reason: `${name} not stored: the result has another` }
        : await this.#check(input, teamId);
      seen.add(id);
      if (!evidence.ok) read.refused.push({ index, reason: evidence.reason });
      read.bytes += input.json.length;
      return evidence;
    };
    for (const { index, json } of batch.details) {
      const detail = await check(index, { kind: null, json });
      if (detail?.ok) read.details.push({ index, json: detail.json });
    }
    for (const { index, kind, json } of batch.facts) {
      const fact = await check(index, { kind, json });
      if (fact?.ok) read.facts.push({ index, kind, value: fact.value, json: fact.json });
    }
    return read;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #check(input: EvidenceInput, teamId: TeamId): Promise<Evidence<unknown>> {
    while (monotonicMs() - this.#sliceFromMs >= SLICE_MS) await this.#untilNextSlice();
    const isSmall =
      input.json.length > EVIDENCE_BYTES_MAX || !hasMoreValuesThan(input.json, VALUES_ON_LOOP_MAX);
    return isSmall ? parseEvidenceOf(input) : this.#checkInThread(input, teamId);
  }

  async #checkInThread(input: EvidenceInput, teamId: TeamId): Promise<Evidence<unknown>> {
    const lane = this.#lanes.get(teamId) ?? pLimit(1);
    this.#lanes.set(teamId, lane);
    try {
      const checked = await lane(() => this.#pool.run(evidenceJob, { teamId, input }));
      return checked.ok
        ? { ...checked, value: input.kind === null ? undefined : JSON.parse(checked.json) }
        : checked;
    } catch (error) {
      if (!(error instanceof JobOverrun)) throw error;
      return { ok: false, reason: "evidence not stored: checking it took too long" };
    } finally {
      if (lane.activeCount === 0 && lane.pendingCount === 0) this.#lanes.delete(teamId);
    }
  }

  #untilNextSlice(): Promise<void> {
    this.#nextSlice ??= nextTurn().then(() => {
      this.#nextSlice = undefined;
      this.#sliceFromMs = monotonicMs();
    });
    return this.#nextSlice;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `{`, `[` and `,`: as many as a document has values, or more. */
const BEGINS_VALUE = new Set([0x7b, 0x5b, 0x2c]);

/** True when a JSON text has more values than that; texts within quotes count once. Linear, and stops at the bound. */
export function hasMoreValuesThan(json: string, max: number): boolean {
  let values = 0;
  let isInText = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (isInText) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) isInText = false;
    } else if (code === QUOTE) isInText = true;
    else if (BEGINS_VALUE.has(code) && ++values > max) return true;
  }
  return false;
}
