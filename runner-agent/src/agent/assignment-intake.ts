/** Hands assignments from the session to the slots and to the data folder. Without a session, the stored assignment is run. */
import type { Logger } from "pino";
import type { AssignmentStore } from "../disk/assignment-store.ts";
import type { AssignmentDelta, AssignmentSnapshot } from "../model/assignment.ts";
import type { SlotRunner } from "../slots/slot-runner.ts";
import type { SpecSource } from "../specs/spec-source.ts";

export class AssignmentIntake {
  readonly #slots: SlotRunner;
  readonly #specs: SpecSource;
  readonly #store: AssignmentStore;
  readonly #log: Logger;
  #hasAssignment = false;

  constructor(slots: SlotRunner, specs: SpecSource, store: AssignmentStore, log: Logger) {
    this.#slots = slots;
    this.#specs = specs;
    this.#store = store;
    this.#log = log;
  }

  /** Replaces the assignment. */
  replace(snapshot: AssignmentSnapshot): void {
    this.#hasAssignment = true;
    this.#specs.learn(snapshot.checks);
    this.#slots.applySnapshot(snapshot);
    this.#store.replace(snapshot);
    this.#log.info({ checks: this.#slots.assignedChecks }, "assignment taken over");
  }

  /** Changes the assignment. */
  change(delta: AssignmentDelta): void {
    this.#specs.learn(delta.checks);
    this.#slots.applyDelta(delta);
    this.#store.change(delta);
  }

  /** Runs the assignment that an earlier process stored, unless this process has one already. */
  runStored(): void {
    if (this.#hasAssignment) return;
    const stored = this.#store.load();
    if (stored === undefined) return;
    this.#hasAssignment = true;
    this.#specs.learn(stored.checks);
    this.#slots.applySnapshot(stored);
    this.#log.warn(
      { checks: stored.checks.length },
      "no control plane yet: running the assignment of the last session",
    );
  }
}
