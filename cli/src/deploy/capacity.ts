/** Capacity of the locations that a plan touches, before and after it: the service is asked, and its answer printed. */

import type { CheckChange, Plan } from "@svc/as-code/plan";
import {
  type ApiClient,
  ApiError,
  CAPACITY_PREVIEW_LIMITS,
  type CapacityPreview,
  capacityLine,
  type previewCapacitySchema,
  runKindOf,
} from "@svc/contract";
import type * as z from "zod";
import type { Output } from "../output/output.ts";

type PreviewChange = z.input<typeof previewCapacitySchema>["changes"][number];

/** Fields of a check that decide how much it demands. */
const DEMANDING_FIELDS: ReadonlySet<string> = new Set(["frequencySeconds", "locations", "enabled"]);

/**
 * Asks what the plan does to the capacity of its locations.
 * @returns undefined when nobody could tell: the plan is shown all the same, and `--verbose` says why
 */
export async function previewCapacity(
  api: Pick<ApiClient, "previewCapacity">,
  { plan, out, signal }: { plan: Pick<Plan, "changes">; out: Output; signal: AbortSignal },
): Promise<CapacityPreview | undefined> {
  const changes = capacityChanges(plan);
  if (changes.length === 0) return { locations: [], warnings: [] };
  if (changes.length > CAPACITY_PREVIEW_LIMITS.changesMax)
    return withoutCapacity(out, `more than ${CAPACITY_PREVIEW_LIMITS.changesMax} monitors change`);
  try {
    const capacity = await api.previewCapacity({ changes });
    const isKnown = Array.isArray(capacity?.locations) && Array.isArray(capacity.warnings);
    return isKnown ? capacity : withoutCapacity(out, "the answer is of another kind");
  } catch (error) {
    if (signal.aborted) throw error;
    const isOlder = error instanceof ApiError && error.status === 404;
    const why = isOlder ? "the service is of an earlier version" : (error as Error).message;
    return withoutCapacity(out, why);
  }
}

function withoutCapacity(out: Output, why: string): undefined {
  if (out.isVerbose) out.info(`capacity of the locations: not known (${out.text(why)})`);
  return undefined;
}

/** Returns the changes of a plan that change what its locations have to run. New monitors that run alike are one change. Pure. */
function capacityChanges({ changes }: Pick<Plan, "changes">): PreviewChange[] {
  const created = new Map<string, PreviewChange & { count: number }>();
  const others: PreviewChange[] = [];
  for (const change of changes) {
    if (change.kind !== "check") continue;
    if (change.type === "delete") others.push({ checkId: change.remoteId, after: null });
    else if (change.type === "create") {
      const after = checkAfter(change);
      const key = JSON.stringify(after);
      const known = created.get(key);
      if (known) known.count++;
      else if (after) created.set(key, { after, count: 1 });
    } else if (change.fieldChanges.some(({ field }) => DEMANDING_FIELDS.has(field)))
      others.push({ checkId: change.remoteId, after: checkAfter(change) ?? null });
  }
  return [...created.values(), ...others];
}

function checkAfter({ desired }: CheckChange): PreviewChange["after"] {
  if (!desired) return null;
  const { type, config, frequencySeconds, locations, enabled } = desired;
  const runKind = runKindOf(type, config);
  return { type, ...(runKind !== undefined && { runKind }), frequencySeconds, locations, enabled };
}

/** Prints a line for each location that the plan touches, and the warnings. */
export function printCapacity(out: Output, capacity: CapacityPreview | undefined): void {
  if (!capacity) return;
  for (const step of capacity.locations) out.line(out.text(capacityLine(step)));
  for (const { sentence } of capacity.warnings) out.line(out.colors.yellow(`Warning: ${out.text(sentence)}`));
}
