import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { type LiveRecord, type RecordPosition, readRecordPosition, readRecords } from "./records.ts";

/** New records of a team since the last look. */
export interface NewRecords {
  records: LiveRecord[];
  /** True when there were more than one look reads, so that some may be missing. */
  isCut: boolean;
}

/** Reads each record of a team once, however the transactions that write them overlap. */
export class RecordCursor {
  readonly #db: Knex;
  readonly #teamId: TeamId;
  #position: RecordPosition | undefined;
  /** Ids of the last look, which the next one may read again. */
  #reported: ReadonlySet<string> = new Set();

  constructor(db: Knex, teamId: TeamId) {
    this.#db = db;
    this.#teamId = teamId;
  }

  /** Reads what was committed since the last call; the first call reads nothing and begins. @param nowMs Unix ms */
  async next(nowMs: number): Promise<NewRecords> {
    if (!this.#position) {
      this.#position = await readRecordPosition(this.#db, this.#teamId);
      return { records: [], isCut: false };
    }
    const read = await readRecords(this.#db, { teamId: this.#teamId, position: this.#position, nowMs });
    const records = read.records.filter(({ id }) => !this.#reported.has(id));
    if (read.isCut) {
      // Begins anew after whatever was not read: clients are asked to read everything.
      this.#position = await readRecordPosition(this.#db, this.#teamId);
      this.#reported = new Set();
      return { records, isCut: true };
    }
    this.#position = read.position;
    this.#reported = new Set(read.records.map(({ id }) => id));
    return { records, isCut: false };
  }
}
