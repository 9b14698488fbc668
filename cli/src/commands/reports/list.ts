/** Lists the months of which there is a report: `svc reports list`. */
import { reportShare } from "../../resources/reports/describe.ts";
import { defineCommand } from "../../runtime/command.ts";

/** Defines `svc reports list`. */
export const command = defineCommand({
  summary: "list the months of which there is a report",
  answers: async () => (await import("../../answers/reports.ts")).reportsList,
  examples: ["reports list", "reports list --json"],
  async run(context) {
    const reports = await context.api().listReports();
    return {
      data: { reports },
      print: (out) => {
        if (reports.length === 0) out.info("No reports. Days are counted three hours after their end (UTC).");
        else
          out.table(
            [
              { title: "MONTH", value: ({ month }) => month },
              {
                title: "AVAILABILITY",
                value: (one) => reportShare(one.availabilityBasisPoints),
                align: "right",
              },
              { title: "MEASURED", value: (one) => reportShare(one.measuredBasisPoints), align: "right" },
              { title: "DAYS", value: ({ countedDays }) => String(countedDays), align: "right" },
              { title: "STATE", value: ({ isComplete }) => (isComplete ? "complete" : "under way") },
            ],
            reports,
          );
      },
    };
  },
});
