/** Carries out the steps of incident policies that are due. */
import type { IncidentId } from "@svc/contract";
import { isDatabaseUnavailable } from "../../platform/db/errors.ts";
import type { Services } from "../../platform/services.ts";
import { readTotals } from "../incidents/member-totals-store.ts";
import { findIncidentRow, lockIncidents } from "../incidents/store.ts";
import { writeReports } from "../incidents/write-reports.ts";
import { findOnDuty } from "../rotas/find-on-duty.ts";
import { type DueStep, insertEscalation, readDueSteps } from "./store.ts";

/** Most incidents between two looks for what is due: a team that comes with its first one waits for no more than these. */
const INCIDENTS_AT_ONCE = 50;
/** Most incidents of one call. */
const INCIDENTS_MAX = 500;

/**
 * Notifies the channels of the newest due step of each incident that nobody has acknowledged, and whoever is on duty now of its rota. Each step is carried out once, however
 * many replicas call this at once: its record and its notifications are one transaction. An incident that fails does not keep the
 * others from it.
 * @throws AggregateError of all failures, after every incident had its turn
 */
export async function escalateUnacknowledged(
  services: Pick<Services, "knex" | "clock" | "log">,
): Promise<void> {
  const errors: unknown[] = [];
  const failed = new Set<IncidentId>();
  for (let done = 0; done < INCIDENTS_MAX; ) {
    const now = new Date(services.clock.nowMs());
    const due = await readDueSteps(services.knex, { now, limit: INCIDENTS_AT_ONCE + failed.size });
    const steps = due.filter(({ id }) => !failed.has(id));
    if (steps.length === 0) break;
    done += steps.length;
    for (const step of steps)
      try {
        await escalate(services, step);
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error;
        failed.add(step.id);
        errors.push(error);
      }
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} steps could not be carried out`);
}

async function escalate(
  { knex, clock, log }: Pick<Services, "knex" | "clock" | "log">,
  { id, teamId }: Pick<DueStep, "id" | "teamId">,
): Promise<void> {
  await knex.transaction(async (trx) => {
    await lockIncidents(trx, teamId);
    const nowMs = clock.nowMs();
    // Somebody may have acknowledged the incident, or carried the step out, since it was read without the lock.
    const [step] = await readDueSteps(trx, { now: new Date(nowMs), id, limit: 1 });
    const incident = step && (await findIncidentRow(trx, teamId, id));
    if (!incident) return;
    const { rotaId } = step;
    const duty = rotaId === null ? undefined : await findOnDuty(trx, { teamId, rotaId }, nowMs);
    const channelIds = [...new Set([...step.channelIds, ...(duty?.channelIds ?? [])])];
    if (channelIds.length === 0)
      log.warn(
        { teamId, incidentId: id, afterMinutes: step.afterMinutes, rotaId },
        "a due step of an incident policy notifies no channel: it names none, and nobody is on duty",
      );
    await insertEscalation(trx, { ...step, channelIds }, nowMs);
    const members = (await readTotals(trx, [step.key], { withSample: false })).get(step.key);
    await writeReports(
      trx,
      [
        {
          type: "unacknowledged",
          incident,
          instanceIds: members?.instanceIds ?? [],
          channelIds,
          actorId: null,
          detail: { unacknowledgedMinutes: step.afterMinutes, ...(duty && { onDuty: duty.onDuty }) },
        },
      ],
      nowMs,
    );
  });
}
