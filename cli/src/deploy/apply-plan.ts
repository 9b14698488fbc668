/**
 * Carries a plan out, phase by phase. A failure ends the deploy after the requests under way; what was applied stays,
 * and the next deploy goes on from there, because it plans from what it finds.
 */

import type { Plan, PlannedChange, Remote } from "@svc/as-code/plan";
import type { ApiClient, Check } from "@svc/contract";
import { inTurns } from "../runtime/in-turns.ts";
import { type Phase, phasesOf } from "./phases.ts";
import { sendWithRetries } from "./send-with-retries.ts";

/** The service, its state before the deploy, and the ways to end the deploy and to watch its progress. */
export interface ApplyTools {
  api: ApiClient;
  remote: Remote;
  signal: AbortSignal;
  onProgress(done: number, total: number): void;
}

/** The outcome of a deploy, by change. */
export interface Applied {
  done: PlannedChange[];
  failed: { change: PlannedChange; error: unknown }[];
  /** Changes that are half done (the check was stored, its labels were not). */
  partly: PlannedChange[];
  /** Changes that were planned and not begun. */
  left: PlannedChange[];
  createdChecks: Check[];
  /** True when anything was changed, be it a part of a change that failed. */
  hasChanged: boolean;
}

/**
 * Applies every change of the plan that isn't skipped. A change that two phases have a part in is done after the second one.
 * Throws nothing: errors are in `failed`.
 */
export async function applyPlan(
  plan: Plan,
  skipped: ReadonlySet<PlannedChange>,
  { api, remote, signal, onProgress }: ApplyTools,
): Promise<Applied> {
  const todo = plan.changes.filter((change) => change.type !== "unchanged" && !skipped.has(change));
  const createdChecks: Check[] = [];
  // A resource whose deletion is skipped still exists, so other changes may refer to it.
  const changes = plan.changes.filter((change) => change.type !== "delete" || !skipped.has(change));
  const phases = phasesOf(
    { ...plan, changes },
    { api, remote, onCheckCreated: (check) => createdChecks.push(check) },
  );
  const tally = new Tally(todo, phases);
  const hasEnded = () => tally.failed.length > 0 || signal.aborted;
  for (const phase of phases) {
    if (hasEnded()) break;
    await inTurns(todo.filter(phase.covers), async (change) => {
      if (hasEnded()) return;
      try {
        await sendWithRetries(() => phase.run(change), signal);
        tally.completePart(change);
        onProgress(tally.done.length, todo.length);
      } catch (error) {
        tally.failed.push({ change, error });
      }
    });
  }
  return { ...tally.result(), createdChecks };
}

/** Counts the parts of each change that are done. */
class Tally {
  readonly done: PlannedChange[] = [];
  readonly failed: { change: PlannedChange; error: unknown }[] = [];
  readonly #todo: readonly PlannedChange[];
  readonly #openParts: Map<PlannedChange, number>;
  readonly #begun = new Set<PlannedChange>();

  constructor(todo: readonly PlannedChange[], phases: readonly Phase[]) {
    this.#todo = todo;
    this.#openParts = new Map(
      todo.map((change) => [change, phases.filter((phase) => phase.covers(change)).length]),
    );
  }

  completePart(change: PlannedChange): void {
    this.#begun.add(change);
    const open = (this.#openParts.get(change) ?? 1) - 1;
    this.#openParts.set(change, open);
    if (open === 0) this.done.push(change);
  }

  result(): Omit<Applied, "createdChecks"> {
    const ended = new Set([...this.done, ...this.failed.map(({ change }) => change)]);
    const open = this.#todo.filter((change) => !ended.has(change));
    return {
      done: this.done,
      failed: this.failed,
      partly: open.filter((change) => this.#begun.has(change)),
      left: open.filter((change) => !this.#begun.has(change)),
      hasChanged: this.#begun.size > 0,
    };
  }
}
