/** The tables of a report. */
import type { ReportReason } from "@svc/contract";
import type { ReactNode } from "react";
import type { Report } from "../../api/queries/reports.ts";
import { incidentStates, missingReasons, severityWords } from "../../status/words.ts";
import { durationText, instantText, numberText, percentText } from "../../time/format.ts";
import { Exact } from "../../ui/figure-value.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Panel } from "../../ui/panel.tsx";
import { FIGURE_COLUMNS, Share } from "../../ui/report-figures.tsx";
import { State } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

const LABEL_COLUMNS: readonly Column<Report["byLabel"][number]>[] = [
  { title: "Label", cell: ({ label }) => <Text>{label}</Text> },
  { title: "Checks", cell: ({ checkCount }) => numberText(checkCount) },
  ...FIGURE_COLUMNS,
];

const CHECK_COLUMNS: readonly Column<Report["checks"][number]>[] = [
  {
    title: "Check",
    cell: ({ checkId, name, isDeleted }) =>
      isDeleted ? (
        <>
          <Text>{name}</Text> <span className="quiet">deleted</span>
        </>
      ) : (
        <PageLink page="check" parameters={{ id: checkId }}>
          <Text>{name}</Text>
        </PageLink>
      ),
  },
  ...FIGURE_COLUMNS,
];

const SLO_COLUMNS: readonly Column<Report["slos"][number]>[] = [
  {
    title: "SLO",
    cell: ({ sloId, name, isDeleted }) =>
      isDeleted ? (
        <>
          <Text>{name}</Text> <span className="quiet">deleted</span>
        </>
      ) : (
        <PageLink page="slo" parameters={{ id: sloId }}>
          <Text>{name}</Text>
        </PageLink>
      ),
  },
  { title: "Check", cell: ({ checkName }) => <Text>{checkName ?? "a third party"}</Text> },
  { title: "Target", cell: ({ targetBasisPoints }) => percentText(targetBasisPoints / 10_000) },
  { title: "Good", cell: ({ goodBasisPoints }) => <Share basisPoints={goodBasisPoints} /> },
  {
    title: "Budget spent",
    cell: ({ spentBasisPoints, spentMinutes, budgetMinutes }) => (
      <span className="nowrap">
        <Share basisPoints={spentBasisPoints} />{" "}
        <span className="quiet">
          <Exact value={spentMinutes} digits={1} /> of <Exact value={budgetMinutes} digits={1} unit="min" />
        </span>
      </span>
    ),
  },
  {
    title: "Target met",
    cell: ({ isMet }) =>
      isMet === null ? <span className="quiet">not measured</span> : isMet ? "Yes" : "No",
  },
];

const INCIDENT_COLUMNS: readonly Column<Report["incidents"]["listed"][number]>[] = [
  {
    title: "Incident",
    cell: ({ id, title }) => (
      <PageLink page="incident" parameters={{ id }}>
        <Text>{title}</Text>
      </PageLink>
    ),
  },
  { title: "Severity", cell: ({ severity }) => severityWords[severity] },
  { title: "State", cell: ({ state }) => <State state={incidentStates[state]} /> },
  {
    title: "Opened",
    cell: ({ openedAt }) => (
      <time className="nowrap" dateTime={openedAt}>
        {instantText(openedAt)}
      </time>
    ),
  },
  {
    title: "Lasted",
    cell: ({ openedAt, endedAt }) =>
      endedAt === null ? "still open" : durationText(Date.parse(endedAt) - Date.parse(openedAt)),
  },
];

const REASON_COLUMNS: readonly Column<Report["slots"]["missingByReason"][number]>[] = [
  { title: "Why", cell: ({ reason }) => reasonSentences[reason] },
  { title: "Slots", cell: ({ count }) => numberText(count) },
];

const reasonSentences: Readonly<Record<ReportReason, string>> = {
  ...missingReasons,
  not_explained: "Of very many, only some are explained.",
  not_recorded: "Not recorded: their days were counted by a release that kept no reasons.",
};

const DAY_COLUMNS: readonly Column<Report["days"][number]>[] = [
  { title: "Day (UTC)", cell: ({ date }) => <span className="nowrap">{date}</span> },
  ...FIGURE_COLUMNS,
];

/** Shows SLOs, labels, checks, incidents, days, and why slots are missing. */
export function ReportTables({ report }: { report: Report }) {
  const { slos, byLabel, checks, incidents, days, slots } = report;
  return (
    <>
      <Part
        title="SLOs"
        rows={slos}
        columns={SLO_COLUMNS}
        keyOf={({ sloId }) => sloId}
        leftOut={report.slosLeftOut}
      >
        There was no SLO.
      </Part>
      <Part
        title="Labels"
        rows={byLabel}
        columns={LABEL_COLUMNS}
        keyOf={({ label }) => label}
        leftOut={report.labelsLeftOut}
      >
        No check had a label.
      </Part>
      <Part
        title="Checks"
        rows={checks}
        columns={CHECK_COLUMNS}
        keyOf={({ checkId }) => checkId}
        leftOut={report.checksLeftOut}
      >
        No check ran.
      </Part>
      <Part
        title="Incidents"
        rows={incidents.listed}
        columns={INCIDENT_COLUMNS}
        keyOf={({ id }) => id}
        leftOut={incidents.leftOut}
      >
        There was no incident.
      </Part>
      <Part
        title="Days"
        rows={days.filter(({ isCounted }) => isCounted)}
        columns={DAY_COLUMNS}
        keyOf={({ date }) => date}
        leftOut={0}
      >
        No day has been counted.
      </Part>
      <Part
        title="Missing slots"
        rows={slots.missingByReason}
        columns={REASON_COLUMNS}
        keyOf={({ reason }) => reason}
        leftOut={0}
      >
        No slot is missing.
      </Part>
    </>
  );
}

/** Shows a named table, or why it is empty. @param props.leftOut rows that the report does not list */
function Part<Row>({
  title,
  rows,
  columns,
  keyOf,
  leftOut,
  children,
}: {
  title: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf(row: Row): string;
  leftOut: number;
  children: ReactNode;
}) {
  return (
    <Panel title={title}>
      {rows.length === 0 ? (
        <Empty>{children}</Empty>
      ) : (
        <Table name={title} rows={rows} keyOf={keyOf} columns={columns} />
      )}
      {leftOut > 0 && <p className="quiet">{numberText(leftOut)} more are not listed.</p>}
    </Panel>
  );
}
