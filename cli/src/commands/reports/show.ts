/** Shows the report of a month: `svc reports show`. */
import { REPORT_REASON_WORDS, type Report } from "@svc/contract";
import type { Output } from "../../output/output.ts";
import { printFields } from "../../output/print-fields.ts";
import { reportShare } from "../../resources/reports/describe.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Checks, labels, SLOs and incidents that people are shown; `--json` writes all of the report. */
const SHOWN_MAX = 10;

/** Defines `svc reports show`. */
export const command = defineCommand({
  summary: "show the report of a month: availability, budgets, incidents, slots",
  answers: async () => (await import("../../answers/reports.ts")).reportsShow,
  arguments: [{ name: "<month>", description: "such as 2026-10, in UTC" }],
  examples: ["reports show 2026-10", "reports show 2026-10 --json"],
  async run(context, _options, [month]) {
    const report = await context.api().getReport(month as string);
    return { data: { report }, print: (out) => print(out, report) };
  },
});

function print(out: Output, report: Report): void {
  printFields(out, fieldsOf(report));
  const part = <Row>(
    title: string,
    rows: readonly Row[],
    cells: (row: Row) => readonly [string, string, string],
  ) => {
    if (rows.length === 0) return;
    out.line("");
    out.table(
      [
        { title, value: (row: Row) => cells(row)[0] },
        { title: "GOOD", value: (row: Row) => cells(row)[1], align: "right" },
        { title: "", value: (row: Row) => cells(row)[2] },
      ],
      rows.slice(0, SHOWN_MAX),
    );
    if (rows.length > SHOWN_MAX) out.info(`${rows.length - SHOWN_MAX} more with --json`);
  };
  part("SLO", report.slos, ({ name, goodBasisPoints, spentBasisPoints }) => [
    name,
    reportShare(goodBasisPoints),
    `${reportShare(spentBasisPoints)} of the budget spent`,
  ]);
  part("LABEL", report.byLabel, ({ label, availabilityBasisPoints, checkCount }) => [
    label,
    reportShare(availabilityBasisPoints),
    checkCount === 1 ? "1 check" : `${checkCount} checks`,
  ]);
  part("MONITOR", report.checks, ({ name, availabilityBasisPoints, measuredBasisPoints }) => [
    name,
    reportShare(availabilityBasisPoints),
    `${reportShare(measuredBasisPoints)} measured`,
  ]);
}

function fieldsOf({ month, isComplete, countedUntil, totals, slots, incidents, ...report }: Report) {
  const counted = countedUntil === null ? "not counted" : `counted until ${countedUntil.slice(0, 10)}`;
  return [
    ["Month", `${month} (${isComplete ? "complete" : counted})`],
    ["Availability", reportShare(totals.availabilityBasisPoints)],
    ["Results", `${totals.success} successes of ${totals.received}`],
    [
      "Slots",
      `${slots.received} of ${slots.expected} have a result (${reportShare(totals.measuredBasisPoints)})`,
    ],
    ["Missing", `${slots.missing}, ${slots.givenBack} of them with a recorded reason`],
    [
      "Why missing",
      slots.missingByReason
        .map(({ reason, count }) => `${count} ${REPORT_REASON_WORDS[reason]}`)
        .join(", ") || "-",
    ],
    ["In maintenance", `${slots.inMaintenance} slots`],
    ["Monitors", String(totals.checkCount)],
    ["Incidents", `${incidents.opened} opened, ${incidents.ended} ended`],
    ["Not counted", report.daysNotCounted.join(", ") || "-"],
    ["Not measured", report.daysNotMeasured.join(", ") || "-"],
  ] as const;
}
