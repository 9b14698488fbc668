/**
 * Carries a plan out, phase by phase. A failure ends the deploy after what is under way; what was done stays, and the next deploy
 * goes on from there, since it plans from what it finds.
 */
import type { Check } from "@svc/contract";
import { phasesOf } from "./phases.ts";
import type { Change, Plan } from "./planned-change.ts";
import { type ApplyTools, retrying } from "./send-with-retries.ts";

/** Requests under way at a time: quick, and far from any rate limit. */
const IN_FLIGHT_MAX = 6;

export interface Applied {
  done: Change[];
  failed: { change: Change; error: unknown }[];
  /** One of their two parts is done (the check without its labels). */
  partly: Change[];
  /** Planned, and not begun. */
  left: Change[];
  createdChecks: Check[];
  /** Whether anything was changed, be it a part of what failed. */
  hasChanged: boolean;
}

/** Throws nothing: what goes wrong is in `failed`. A change that two phases have a part in is done after the second one. */
export async function applyPlan(
  plan: Plan,
  skipped: ReadonlySet<Change>,
  tools: ApplyTools,
): Promise<Applied> {
  const todo = plan.changes.filter((change) => change.type !== "unchanged" && !skipped.has(change));
  const applied: Applied = {
    done: [],
    failed: [],
    partly: [],
    left: [],
    createdChecks: [],
    hasChanged: false,
  };
  const phases = phasesOf(plan, applied.createdChecks, tools);
  const parts = new Map(todo.map((change) => [change, phases.filter((phase) => phase.takes(change)).length]));
  const begun = new Set<Change>();
  for (const phase of phases) {
    const changes = todo.filter((change) => phase.takes(change));
    await inTurns(changes, async (change) => {
      if (applied.failed.length > 0 || tools.signal.aborted) return;
      try {
        await retrying(() => phase.run(change), tools);
        begun.add(change);
        applied.hasChanged = true;
        const left = (parts.get(change) ?? 1) - 1;
        parts.set(change, left);
        if (left === 0) applied.done.push(change);
        tools.onProgress(applied.done.length, todo.length);
      } catch (error) {
        applied.failed.push({ change, error });
      }
    });
    if (applied.failed.length > 0 || tools.signal.aborted) break;
  }
  const ended = new Set([...applied.done, ...applied.failed.map(({ change }) => change)]);
  const open = todo.filter((change) => !ended.has(change));
  applied.partly = open.filter((change) => begun.has(change));
  applied.left = open.filter((change) => !begun.has(change));
  return applied;
}

/** Runs `work` on each item, a few at a time, begun in order. */
export async function inTurns<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(IN_FLIGHT_MAX, items.length) }, worker));
}
