/**
 * Hands assignments from the session to the slots and to the data folder. Without a session, the stored assignment is
 * run.
 */
import type { Logger } from "pino";
import type { AssignmentStore } from "../disk/assignment-store.ts";
import type { AssignmentDelta, AssignmentSnapshot } from "../model/assignment.ts";
import type { SlotRunner } from "../slots/slot-runner.ts";
import type { SpecSource } from "../specs/spec-source.ts";

/** The parts that assignments are handed to. */
export interface AssignmentIntakeParts {
  slots: SlotRunner;
  specs: Pick<SpecSource, "learn">;
  store: Pick<AssignmentStore, "replace" | "change" | "load">;
  log: Logger;
}

/** Accepts snapshots and differences of the assignment. */
export class AssignmentIntake {
  readonly #parts: AssignmentIntakeParts;
  #hasAssignment = false;
  #isDraining = false;

  constructor(parts: AssignmentIntakeParts) {
    this.#parts = parts;
  }

  /** Replaces the assignment. */
  replace(snapshot: AssignmentSnapshot): void {
    this.#hasAssignment = true;
    this.#parts.specs.learn(snapshot.checks);
    this.#parts.slots.applySnapshot(snapshot);
    if (!this.#isDraining) this.#parts.store.replace(snapshot);
    this.#parts.log.info({ checks: this.#parts.slots.assignedChecks }, "assignment taken over");
  }

  /**
   * From now on the stored assignment stays as it is: what others take over while this agent drains is what it runs again when it
   * is started without a control plane.
   */
  drain(): void {
    this.#isDraining = true;
  }

  /** Changes the assignment. */
  change(delta: AssignmentDelta): void {
    this.#parts.specs.learn(delta.checks);
    this.#parts.slots.applyDelta(delta);
    if (!this.#isDraining) this.#parts.store.change(delta);
    const { checks, assignments, unassignments } = delta;
    this.#parts.log.debug(
      { checks: checks.length, assignments: assignments.length, unassignments: unassignments.length },
      "assignment changed",
    );
  }

  /** Runs the assignment that an earlier process stored, unless this process has one already. */
  runStored(): void {
    if (this.#hasAssignment) return;
    const stored = this.#parts.store.load();
    if (stored === undefined) return;
    this.#hasAssignment = true;
    this.#parts.specs.learn(stored.checks);
    this.#parts.slots.applySnapshot(stored);
    this.#parts.log.warn(
      { checks: stored.checks.length },
      "no control plane yet: running the assignment of the last session",
    );
  }
}
