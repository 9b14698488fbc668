/** The words of notifications about monthly reports. Pure. */
import { REPORT_REASON_WORDS, withoutLineBreaks } from "@svc/contract";
import { type Announcement, type Detail, knownDetails } from "./announcement.ts";
import type { NotificationAboutReport, ReportNotificationPayload } from "./payload.ts";

const MONTH = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });
const NUMBER = new Intl.NumberFormat("en");

/** Returns what a notification about a report says. */
export function announceReport(notification: NotificationAboutReport): Announcement {
  const { payload, links, isTest } = notification;
  const month = MONTH.format(Date.parse(`${payload.month}-01T00:00:00Z`));
  const availability = shareText(payload.totals.availabilityBasisPoints);
  const subject = `Report of ${month}`;
  return {
    notification,
    title: withoutLineBreaks(`${isTest ? "[TEST] " : ""}${subject}: ${availability}`),
    summary: summaryOf(payload),
    severity: "info",
    isEnding: false,
    symbol: "memo",
    subject: { name: subject, url: links.report },
    details: detailsOf(payload),
    links: [{ text: "Open the report", url: links.report }],
    occurredAt: payload.occurredAt,
    threadId: `report-${payload.month}`,
    isFirstOfThread: true,
    effect: "note",
    changesSeverity: false,
    reopens: false,
    origin: { source: subject, component: subject, group: payload.month, class: "report" },
    evidence: {},
  };
}

function shareText(basisPoints: number | null): string {
  return basisPoints === null ? "not measured" : `${(basisPoints / 100).toFixed(2)} % available`;
}

function summaryOf({ totals, daysNotCounted, daysNotMeasured }: ReportNotificationPayload): string {
  const unknown = [
    daysNotCounted.length > 0 && `${daysText(daysNotCounted.length)} not counted`,
    daysNotMeasured.length > 0 && `on ${daysText(daysNotMeasured.length)} nothing was measured`,
  ].filter((gap) => gap !== false);
  const counted = `${NUMBER.format(totals.success)} of ${NUMBER.format(totals.received)} results were successes.`;
  if (unknown.length === 0) return counted;
  return `${counted} Not all of the month is known: ${unknown.join(", ")}. That counts as neither up nor down.`;
}

function daysText(count: number): string {
  return count === 1 ? "1 day" : `${count} days`;
}

/** Returns the reasons with their counts; empty when nothing is missing. */
function reasonsText(reasons: ReportNotificationPayload["slots"]["missingByReason"] = []): string {
  return reasons
    .map(({ reason, count }) => `${NUMBER.format(count)} ${REPORT_REASON_WORDS[reason]}`)
    .join(", ");
}

function detailsOf({ totals, slots, slos, ...payload }: ReportNotificationPayload): Detail[] {
  const counted = (count: number) => NUMBER.format(count);
  return knownDetails([
    ["Checks", counted(totals.checkCount)],
    ["Availability", shareText(totals.availabilityBasisPoints)],
    ["Slots with a result", `${counted(slots.received)} of ${counted(slots.expected)}`],
    [
      "Slots missing",
      `${counted(slots.missing)}, ${counted(slots.givenBack)} of them with a recorded reason`,
    ],
    ["Why they are missing", reasonsText(slots.missingByReason)],
    ["In maintenance", `${counted(slots.inMaintenance)} slots`],
    ["Incidents opened", counted(payload.incidentsOpened)],
    [
      "SLOs",
      payload.slosShown === 0
        ? null
        : `${counted(payload.slosMissed)} of ${counted(payload.slosShown)} missed their target`,
    ],
    ...slos.map(({ name, isMet, spentBasisPoints }): [string, string] => [
      "SLO",
      `${name}: ${
        spentBasisPoints === null
          ? "not measured"
          : `${(spentBasisPoints / 100).toFixed(2)} % of the budget spent${isMet ? "" : ", target missed"}`
      }`,
    ]),
    ...payload.labels.map(({ label, availabilityBasisPoints }): [string, string] => [
      "Label",
      `${label}: ${shareText(availabilityBasisPoints)}`,
    ]),
    ...payload.checks.map(({ name, availabilityBasisPoints }): [string, string] => [
      "Check",
      `${name}: ${shareText(availabilityBasisPoints)}`,
    ]),
  ]);
}
