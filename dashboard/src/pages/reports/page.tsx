/** The list of the months of which there is a report. */
import { pagePath } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { type ReportMonth, reportsQuery } from "../../api/queries/reports.ts";
import { countText } from "../../time/format.ts";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { FIGURE_COLUMNS, monthText } from "../../ui/report-figures.tsx";
import { type Column, Table } from "../../ui/table.tsx";

const COLUMNS: readonly Column<ReportMonth>[] = [
  {
    title: "Month",
    cell: ({ month }) => (
      <PageLink page="report" parameters={{ month }}>
        <span className="nowrap">{monthText(month)}</span>
      </PageLink>
    ),
  },
  {
    title: "Counted",
    cell: ({ isComplete, countedDays }) => (
      <span className="nowrap">
        {isComplete ? "to its end" : "under way"}{" "}
        <span className="quiet">{countText(countedDays, "day")}</span>
      </span>
    ),
  },
  ...FIGURE_COLUMNS,
];

/** Shows the months. */
export default function Reports() {
  const reports = useQuery(reportsQuery);
  return (
    <Page
      title="Reports"
      actions={
        <Link href={pagePath("reportRecipients", {})} className="button">
          Recipients
        </Link>
      }
    >
      <Loaded query={reports}>
        {({ reports: rows }) =>
          rows.length === 0 ? (
            <Empty>
              <p>
                A report says how available checks were in a calendar month. Days are counted three hours
                after their end, in UTC; the first report is here then.
              </p>
            </Empty>
          ) : (
            <Table name="Reports" rows={rows} keyOf={({ month }) => month} columns={COLUMNS} />
          )
        }
      </Loaded>
    </Page>
  );
}
