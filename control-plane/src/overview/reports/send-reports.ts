/**
 * Writes the reports of a month into the outbox once its last day was counted: one notification for each channel, in the transaction that
 * marks the team's month as sent. So each team's report is sent once, whatever the number of replicas and wherever one of them ends.
 */
import { DAY_MS, type Report, type TeamId } from "@svc/contract";
import { enqueue } from "../../outbox/outbox.ts";
import { REPORT_NOTIFICATION_KIND, type ReportNotificationPayload } from "../../outbox/payload.ts";
import { recipientsAmong } from "../../outbox/recipient.ts";
import { readRecipients } from "../../outbox/recipient-store.ts";
import type { Services } from "../../platform/services.ts";
import { getReport } from "./get-report.ts";
import { bitOfDay, daysOfMonth, monthOf, rangeOfMonth } from "./month.ts";
import { claimReport, findSubscription, passOverOthers, readTeamsToSend } from "./subscription-store.ts";

/** Time from a month's end within which its report is sent: of a month that was counted late nobody wants a mail. */
const SENT_WITHIN_MS = 7 * DAY_MS;
/** Teams that are looked for at once. */
const TEAMS_AT_ONCE = 100;
/** Labels, checks and SLOs that a message names. */
const NAMED_MAX = 5;

/** Sends the report of the month that ended last, where it was counted and not sent. Harmless to repeat, and to overlap. */
export async function sendReports(services: Services, signal?: AbortSignal): Promise<void> {
  const { knex, clock } = services;
  const nowMs = clock.nowMs();
  const endMs = rangeOfMonth(monthOf(nowMs)).fromMs;
  if (nowMs >= endMs + SENT_WITHIN_MS) return;
  const month = monthOf(endMs - 1);
  const counted = { month, lastBit: bitOfDay(daysOfMonth(month).at(-1) as number) };
  await passOverOthers(knex, counted, nowMs);
  for (let afterId = ""; !signal?.aborted; ) {
    const teamIds = await readTeamsToSend(knex, counted, { afterId, limit: TEAMS_AT_ONCE });
    for (const teamId of teamIds) {
      if (signal?.aborted) return;
      try {
        await sendReport(services, teamId, month);
      } catch (error) {
        // Another team's report does not wait for this one, which is tried again next time.
        services.log.warn({ err: error, teamId, month }, "the report of a team could not be sent");
      }
    }
    const last = teamIds.at(-1);
    if (teamIds.length < TEAMS_AT_ONCE || !last) return;
    afterId = last;
  }
}

/** Sends a team's report, unless it was sent. One on which no check ran is marked alone. */
async function sendReport(services: Services, teamId: TeamId, month: string): Promise<void> {
  const { knex, clock } = services;
  const nowMs = clock.nowMs();
  const report = await getReport({ services, teamId }, { month });
  await knex.transaction(async (trx) => {
    if (!(await claimReport(trx, teamId, { month, nowMs })) || report.totals.checkCount === 0) return;
    const { channelIds = [] } = (await findSubscription(trx, teamId)) ?? {};
    const recipients = await readRecipients(trx, [{ channelIds }]);
    await enqueue(trx, [
      {
        teamId,
        kind: REPORT_NOTIFICATION_KIND,
        subjectId: `report-${month}`,
        channelKeys: recipientsAmong(recipients, teamId, channelIds).map(({ key }) => key),
        payload: payloadOf(report, nowMs),
      },
    ]);
  });
}

function payloadOf(
  { month, totals, slots, daysNotCounted, daysNotMeasured, byLabel, checks, slos, incidents }: Report,
  nowMs: number,
): ReportNotificationPayload {
  return {
    month,
    totals,
    slots,
    daysNotCounted,
    daysNotMeasured,
    incidentsOpened: incidents.opened,
    labels: byLabel
      .slice(0, NAMED_MAX)
      .map(({ label, availabilityBasisPoints }) => ({ label, availabilityBasisPoints })),
    checks: checks
      .slice(0, NAMED_MAX)
      .map(({ name, availabilityBasisPoints }) => ({ name, availabilityBasisPoints })),
    slos: slos
      .slice(0, NAMED_MAX)
      .map(({ name, isMet, spentBasisPoints }) => ({ name, isMet, spentBasisPoints })),
    slosMissed: slos.filter(({ isMet }) => isMet === false).length,
    slosShown: slos.length,
    occurredAt: new Date(nowMs).toISOString(),
  };
}
