/** Keeps the assignment: what the session tells goes to the slots and to the data folder; what the data folder holds is run
 *  when there is no session to be had. */
import type { Logger } from "pino";
import type { AssignmentStore } from "../disk/assignment-store.ts";
import type { AssignmentDelta, AssignmentSnapshot } from "../model/assignment.ts";
import type { SlotRunner } from "../slots/slot-runner.ts";
import type { SpecSource } from "../specs/spec-source.ts";

export class AssignmentKeeper {
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

  takeSnapshot(snapshot: AssignmentSnapshot): void {
    this.#hasAssignment = true;
    this.#specs.learn(snapshot.checks);
    this.#slots.applySnapshot(snapshot);
    this.#store.replace(snapshot);
    this.#log.info({ checks: this.#slots.assignedChecks }, "assignment taken over");
  }

  takeDelta(delta: AssignmentDelta): void {
    this.#specs.learn(delta.checks);
    this.#slots.applyDelta(delta);
    this.#store.change(delta);
  }

  /** Runs what was last assigned to an earlier process, unless this one has been told already. */
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
