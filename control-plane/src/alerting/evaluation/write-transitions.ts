/**
 * Writes the transitions that the evaluation decided, in its transaction: instances, their events, confirmations with the
 * runs they wait for, notifications.
 */
import type { BlamedTriggers } from "../holds/cut-off.ts";
import type { EvaluationStore } from "./evaluation-store.ts";
import { InstanceDrafts } from "./instance-drafts.ts";
import type { EvaluatedSubject, Transition } from "./transitions.ts";

/**
 * Writes the transitions of these checks.
 * @param blamed beginnings that are due to locations that can't reach their targets
 */
export async function writeTransitions(
  store: EvaluationStore,
  evaluated: readonly EvaluatedSubject[],
  { nowMs, blamed }: { nowMs: number; blamed: BlamedTriggers },
): Promise<void> {
  const inMaintenance = await store.findChecksInMaintenance(checksThatMayNotify(evaluated), nowMs);
  const confirmingRunOf = await store.readConfirmingRuns(confirmingResults(evaluated));
  const drafts = new InstanceDrafts({ nowMs, inMaintenance, blamed, confirmingRunOf });
  for (const one of evaluated) drafts.add(one);
  // Ended instances first: a rule has one open instance at most, and one batch may end it and begin the next.
  await store.updateInstances(drafts.changed);
  await store.insertInstances(drafts.created);
  await store.insertAlertEvents(drafts.events);
  await store.deleteConfirmations([...drafts.endedConfirmations]);
  await store.dispatchConfirmations([...drafts.wantedConfirmations.values()], nowMs);
  await store.queueHeldAlerts(drafts.heldAtLocations);
  await store.reportAlerts(drafts.notifications);
}

function checksThatMayNotify(evaluated: readonly EvaluatedSubject[]) {
  const isBeginningOrRise = ({ kind }: Transition) => kind === "triggered" || kind === "escalated";
  return evaluated
    .filter(({ transitions }) => transitions.some(isBeginningOrRise))
    .flatMap(({ check }) => (check ? [{ teamId: check.teamId, checkId: check.id }] : []));
}

function confirmingResults(evaluated: readonly EvaluatedSubject[]) {
  return evaluated.flatMap(({ transitions }) =>
    transitions.flatMap((transition) =>
      transition.kind === "triggered" ? (transition.confirmedBy ?? []) : [],
    ),
  );
}
