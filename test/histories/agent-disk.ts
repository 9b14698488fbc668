/**
 * The model of an agent's disk: what its database promises, and nothing more. A write is there as a whole once it has
 * resolved; a crash before that leaves nothing of it. What is on the disk outlives the process. The contract in
 * `result-table.contract.ts` holds for it and for LMDB.
 */
import type { SessionMemory } from "../../runner-agent/src/disk/assignment-store.ts";
import type {
  Assignment,
  AssignmentDelta,
  AssignmentSnapshot,
  CheckDefinition,
} from "../../runner-agent/src/model/assignment.ts";
import type { ResultTable } from "../../runner-agent/src/spool/result-table.ts";
import type { Random } from "./random.ts";
import type { SimulatedProcess } from "./simulated-process.ts";

/** Bytes of one page; a disk holds whole ones. */
const PAGE_BYTES = 4096;
/** Delay after which a changed assignment is on the disk, ms. */
const ASSIGNMENT_DELAY_MS = 20;

/** The disk of one machine. */
export class AgentDisk {
  readonly rows = new Map<number, Buffer>();
  memory: SessionMemory | undefined;
  assignment = new Map<number, { check: CheckDefinition; assignments: Assignment[] }>();
  /** Longest time that a synced write takes, ms. */
  slownessMs = 10;
  /** True while the disk refuses writes. */
  isFull = false;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Returns the spool's storage for a process that has the disk. */
  tableFor(process: SimulatedProcess): ResultTable {
    const { rows } = this;
    return {
      write: async (puts, deletes) => {
        await process.sleep(this.#random.between(0.2, this.slownessMs));
        if (this.isFull) throw new Error("the disk is full");
        for (const [sequence, bytes] of puts) rows.set(sequence, Buffer.from(bytes));
        for (const sequence of deletes) rows.delete(sequence);
      },
      refusal: () => (this.isFull ? "the disk is full" : undefined),
      rowsAfter: (sequence, limit) =>
        [...rows]
          .filter(([key]) => key > sequence)
          .sort(([a], [b]) => a - b)
          .slice(0, limit)
          .map(([key, bytes]) => ({ sequence: key, bytes })),
      newestRows: (limit) =>
        [...rows]
          .sort(([a], [b]) => b - a)
          .slice(0, limit)
          .map(([key, bytes]) => ({ sequence: key, bytes })),
      size: () => {
        const bytes = [...rows.values()].reduce((sum, { length }) => sum + length, 0);
        return { rows: rows.size, bytes: Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES };
      },
    };
  }

  /** Returns the stored assignment for a process that has the disk. */
  assignmentsFor(process: SimulatedProcess) {
    let known = new Map(this.assignment);
    const writeSoon = () => {
      const snapshot = new Map(known);
      process.after(ASSIGNMENT_DELAY_MS + this.slownessMs, () => {
        this.assignment = snapshot;
      });
    };
    const change = (delta: AssignmentDelta) => {
      for (const check of delta.checks)
        known.set(check.checkKey, { check, assignments: known.get(check.checkKey)?.assignments ?? [] });
      const replaceAt = (checkKey: number, locationKey: number, assignment: Assignment[]) => {
        const stored = known.get(checkKey);
        if (!stored) return;
        const others = stored.assignments.filter((one) => one.locationKey !== locationKey);
        const assignments = [...others, ...assignment];
        if (assignments.length === 0) known.delete(checkKey);
        else known.set(checkKey, { check: stored.check, assignments });
      };
      for (const assignment of delta.assignments)
        replaceAt(assignment.checkKey, assignment.locationKey, [{ ...assignment, doneSlotsMs: [] }]);
      for (const { checkKey, locationKey } of delta.unassignments) replaceAt(checkKey, locationKey, []);
      writeSoon();
    };
    return {
      change,
      replace: (snapshot: AssignmentSnapshot) => {
        known = new Map();
        change({ ...snapshot, unassignments: [] });
      },
      load: (): AssignmentSnapshot | undefined => {
        const stored = [...this.assignment.values()];
        if (stored.length === 0) return undefined;
        return {
          checks: stored.map(({ check }) => check),
          assignments: stored.flatMap(({ assignments }) => assignments),
        };
      },
    };
  }
}
