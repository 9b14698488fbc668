import { type BulkChecks, type BulkOutcomes, type CheckId, DomainError, sentenceOf } from "@svc/contract";
import type { TeamContext } from "../platform/team-context.ts";
import type { CheckDependents } from "./check-dependents.ts";
import { deleteCheck } from "./delete-check.ts";
import { changeLabels } from "./labels/change-labels.ts";
import { triggerCheck } from "./trigger-check.ts";
import { updateCheck } from "./update-check.ts";

/** Time after which no further check is begun, so that the answer comes before clients and proxies give up. */
const BEGIN_WITHIN_MS = 20_000;

/** The checks with the change to make to each of them, and the parts of the service that depend on a check. */
export interface ChangeChecksInput {
  bulk: BulkChecks;
  dependents: readonly CheckDependents[];
}

type CheckOutcome = BulkOutcomes["outcomes"][number];

/**
 * Does one thing to many checks, one after another, so that they hold one connection and no lock of each other. What is refused
 * for one does not keep the others from it.
 * @returns what became of each check, in the order of the ids
 */
export async function changeChecks(
  ctx: TeamContext,
  { bulk, dependents }: ChangeChecksInput,
): Promise<BulkOutcomes> {
  const { clock } = ctx.services;
  const startMs = clock.nowMs();
  const change = changeOf(ctx, bulk, dependents);
  const outcomes: CheckOutcome[] = [];
  for (const id of bulk.ids)
    outcomes.push(
      clock.nowMs() - startMs < BEGIN_WITHIN_MS ? await outcomeOf(ctx, { id, change }) : { id, ...NOT_TRIED },
    );
  return { outcomes };
}

const NOT_TRIED = {
  status: "not_tried",
  code: null,
  error: "Not tried: the request had taken long enough; send these checks again",
} as const;

async function outcomeOf(
  { services }: TeamContext,
  { id, change }: { id: CheckId; change: (id: CheckId) => Promise<unknown> },
): Promise<CheckOutcome> {
  try {
    await change(id);
    return { id, status: "done", code: null, error: null };
  } catch (error) {
    if (!(error instanceof DomainError)) {
      // What was done to the checks before must not be lost with an answer that names none.
      services.log.error({ err: error, checkId: id }, "a check of a bulk request could not be changed");
      return { id, status: "refused", code: "unavailable", error: "It could not be changed; try again" };
    }
    return { id, status: "refused", code: error.code, error: sentenceOf(error) };
  }
}

/** Returns what is done to each check. */
function changeOf(
  ctx: TeamContext,
  bulk: BulkChecks,
  dependents: readonly CheckDependents[],
): (id: CheckId) => Promise<unknown> {
  switch (bulk.action) {
    case "pause":
    case "resume": {
      const update = { enabled: bulk.action === "resume" };
      return (id) => updateCheck(ctx, { id, update, dependents });
    }
    case "set_frequency": {
      const { frequencySeconds } = bulk;
      return (id) => updateCheck(ctx, { id, update: { frequencySeconds }, dependents });
    }
    case "set_locations": {
      const { locations } = bulk;
      return (id) => updateCheck(ctx, { id, update: { locations }, dependents });
    }
    case "run":
      return (id) => triggerCheck(ctx, { id });
    case "delete":
      return (id) => deleteCheck(ctx, { id, dependents });
    case "add_labels":
      return (id) =>
        changeLabels(ctx, {
          id,
          labelsOf: (before) => [...new Set([...before, ...bulk.labels])],
          dependents,
        });
    case "remove_labels":
      return (id) =>
        changeLabels(ctx, {
          id,
          labelsOf: (before) => before.filter((one) => !bulk.labels.includes(one)),
          dependents,
        });
  }
}
