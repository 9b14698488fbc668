/** The columns of the list of checks. */

import type { resultRoutes } from "@svc/contract";
import {
  type CheckId,
  checkTypeTitle,
  PUSH_LOCATION_ID,
  pagePath,
  phaseMs,
  slotAtOrAfter,
} from "@svc/contract";
import { useLocation } from "wouter";
import type { Answer } from "../../api/request.ts";
import type { CheckRow } from "../../status/check-rows.ts";
import { checkStates, severityWords } from "../../status/words.ts";
import { useNowMs } from "../../time/ago.tsx";
import { durationText, percentText } from "../../time/format.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { State } from "../../ui/state.tsx";
import { Strip } from "../../ui/strip.tsx";
import { Text } from "../../ui/text.tsx";
import type { SortableColumn } from "../../ui/virtual-table.tsx";
import type { SortColumn } from "./sort.ts";

/** Labels that a row shows; the rest is counted. */
const LABELS_MAX = 3;

type NewestResults = Answer<typeof resultRoutes.listHealth>["checks"][number]["results"];

/** A column that can be hidden, and may be sorted. */
interface CheckColumn extends Omit<SortableColumn<CheckRow>, "sort"> {
  readonly key: string;
  readonly sortedBy?: SortColumn;
}

/** Returns the columns. @param resultsOf returns a check's newest results */
export function columnsOf(
  resultsOf: (id: string) => NewestResults,
  nameOf: (locationId: string) => string,
): readonly CheckColumn[] {
  return [
    { key: "name", title: "Name", sortedBy: "name", cell: (row) => <Name row={row} /> },
    {
      key: "status",
      title: "Status",
      cell: ({ state, failing, locations }) => (
        <>
          <State state={checkStates[state]} />
          {failing.length > 0 && (
            <span className="quiet" title={failing.map(nameOf).join(", ")}>
              {" "}
              {failing.length} of {locations.length}
            </span>
          )}
        </>
      ),
    },
    { key: "results", title: "Newest results", cell: ({ id }) => <Marks id={id} results={resultsOf(id)} /> },
    {
      key: "time",
      title: "Response time",
      sortedBy: "responseTime",
      cell: ({ responseTimeMs }) => (responseTimeMs === null ? "none yet" : durationText(responseTimeMs)),
    },
    {
      key: "availability",
      title: "Availability, 24 h",
      sortedBy: "availability",
      cell: ({ availabilityBp }) =>
        availabilityBp === null ? "no results" : percentText(availabilityBp / 10_000),
    },
    { key: "every", title: "Every", sortedBy: "frequency", cell: (row) => <Every row={row} /> },
    {
      key: "alerts",
      title: "Alerts",
      cell: ({ openSeverity }) => (openSeverity === null ? "" : severityWords[openSeverity]),
    },
  ];
}

function Name({ row: { id, name, type, labels, project } }: { row: CheckRow }) {
  return (
    <span className="check-name">
      <PageLink page="check" parameters={{ id }}>
        <Text>{name}</Text>
      </PageLink>
      <span className="tag">{checkTypeTitle(type)}</span>
      {labels.slice(0, LABELS_MAX).map((label) => (
        <span key={label} className="tag">
          <Text>{label}</Text>
        </span>
      ))}
      {labels.length > LABELS_MAX && <span className="quiet">+{labels.length - LABELS_MAX}</span>}
      {project !== null && (
        <span className="tag" title={`Managed by project ${project}`}>
          code
        </span>
      )}
    </span>
  );
}

function Marks({ id, results }: { id: string; results: NewestResults }) {
  const [, navigate] = useLocation();
  return <Strip results={results} onOpen={(resultId) => navigate(pagePath("result", { id, resultId }))} />;
}

/** Shows the frequency, and when the next run is due by the check's slot grid; a job reports when it has run. */
function Every({ row: { id, frequencySeconds, state, locations } }: { row: CheckRow }) {
  const nowMs = useNowMs();
  const nextMs = slotAtOrAfter(nowMs, frequencySeconds * 1000, phaseMs(id as CheckId, frequencySeconds));
  return (
    <>
      {durationText(frequencySeconds * 1000)}
      {state !== "paused" && !locations.includes(PUSH_LOCATION_ID) && (
        <span className="quiet">{`, in ${durationText(Math.ceil((nextMs - nowMs) / 1000) * 1000)}`}</span>
      )}
    </>
  );
}
