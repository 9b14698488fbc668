/**
 * Writes the transitions that the evaluation decided, in its transaction: instances, their events, confirmations with the
 * runs they wait for, notifications.
 */
import type { Knex } from "knex";
import { reportAlerts } from "../../outbox/report-alerts.ts";
import { insertAlertEvents } from "../instances/event-store.ts";
import { insertInstances, updateInstances } from "../instances/instance-writes.ts";
import { findChecksInMaintenance } from "../instances/maintenance-mutes.ts";
import { dispatchConfirmations, readConfirmingRuns } from "./confirmation-runs.ts";
import { deleteConfirmations } from "./confirmation-store.ts";
import { InstanceDrafts } from "./instance-drafts.ts";
import type { EvaluatedSubject, Transition } from "./transitions.ts";

/** Writes the transitions of these checks. */
export async function writeTransitions(
  trx: Knex,
  evaluated: readonly EvaluatedSubject[],
  nowMs: number,
): Promise<void> {
  const inMaintenance = await findChecksInMaintenance(trx, checksThatMayNotify(evaluated), nowMs);
  const confirmingRunOf = await readConfirmingRuns(trx, confirmingResults(evaluated));
  const drafts = new InstanceDrafts({ nowMs, inMaintenance, confirmingRunOf });
  for (const one of evaluated) drafts.add(one);
  // Ended instances first: a rule has one open instance at most, and one batch may end it and begin the next.
  await updateInstances(trx, drafts.changed);
  await insertInstances(trx, drafts.created);
  await insertAlertEvents(trx, drafts.events);
  await deleteConfirmations(trx, [...drafts.endedConfirmations]);
  await dispatchConfirmations(trx, [...drafts.wantedConfirmations.values()], nowMs);
  await reportAlerts(trx, drafts.notifications);
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
