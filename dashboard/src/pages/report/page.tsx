/** The report of a month: its figures, what is missing of it, and its tables. Printed, it is these alone. */
import "./report.css";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "wouter";
import { type Report, reportQuery } from "../../api/queries/reports.ts";
import { RequestError } from "../../api/request.ts";
import { isNotFound } from "../../shell/not-found.tsx";
import { countText, numberText } from "../../time/format.ts";
import { Figures, FigureValue } from "../../ui/figure-value.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Loaded } from "../../ui/panel.tsx";
import { monthText, Share } from "../../ui/report-figures.tsx";
import { Gaps } from "./gaps.tsx";
import { ReportTables } from "./tables.tsx";

/** Shows the report of the month that the address names. */
export default function ReportPage() {
  const { month = "" } = useParams<{ month: string }>();
  const query = useQuery(reportQuery(month));
  const { error } = query;
  if (isNotFound(error))
    return (
      <Page title="No report">
        <p>
          {error instanceof RequestError && error.details.length > 0
            ? error.details.join("; ")
            : error?.message}
        </p>
        <p>
          <PageLink page="reports" parameters={{}}>
            All reports
          </PageLink>
        </p>
      </Page>
    );
  return <Loaded query={query}>{(answer) => <Shown report={answer.report} />}</Loaded>;
}

function Shown({ report }: { report: Report }) {
  const { totals, slots, incidents } = report;
  return (
    <Page
      title={`Report of ${monthText(report.month)}`}
      actions={
        <button type="button" className="quiet-button" onClick={() => window.print()}>
          Print
        </button>
      }
    >
      <div className="report">
        <p className="quiet">
          Days and months are those of UTC. Results within maintenance windows are left out.
        </p>
        <Gaps report={report} />
        <Figures>
          <FigureValue
            title="Availability"
            note={`${numberText(totals.received - totals.success)} results not successful`}
          >
            <Share basisPoints={totals.availabilityBasisPoints} />
          </FigureValue>
          <FigureValue
            title="Slots with a result"
            note={`${numberText(slots.received)} of ${numberText(slots.expected)}`}
          >
            <Share basisPoints={totals.measuredBasisPoints} />
          </FigureValue>
          <FigureValue title="Slots missing" note={`${numberText(slots.givenBack)} with a recorded reason`}>
            {numberText(slots.missing)}
          </FigureValue>
          <FigureValue title="In maintenance" note="slots that count nowhere else">
            {numberText(slots.inMaintenance)}
          </FigureValue>
          <FigureValue title="Checks">{numberText(totals.checkCount)}</FigureValue>
          <FigureValue
            title="Incidents opened"
            note={`${countText(incidents.ended, "incident")} ended, ${numberText(incidents.openAtBegin)} open at its beginning`}
          >
            {numberText(incidents.opened)}
          </FigureValue>
        </Figures>
        <ReportTables report={report} />
      </div>
    </Page>
  );
}
