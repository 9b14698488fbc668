/** A check over a range: its figures, slots, response times, what happened beside them, and its last failure. */
import { useQuery } from "@tanstack/react-query";
import { alertsQuery } from "../../api/queries/alerts.ts";
import { analysisQuery } from "../../api/queries/analysis.ts";
import { annotationsOf, annotationsQuery } from "../../api/queries/annotations.ts";
import { seriesQuery, slotsQuery } from "../../api/queries/history.ts";
import { locationsQuery } from "../../api/queries/locations.ts";
import { ResponseTimes } from "../../charts/response-times.tsx";
import { SlotsFigure } from "../../slots/slots-figure.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Together } from "../../ui/together.tsx";
import { Annotations } from "./annotations.tsx";
import { Certificates } from "./certificates.tsx";
import { InsightPanel } from "./insight.tsx";
import { LastFailure } from "./last-failure.tsx";
import { NewestMcpReport, NewestPage } from "./newest-run.tsx";
import { PushUrl } from "./push-url.tsx";
import { RangeFigures } from "./range-figures.tsx";
import type { TabProps } from "./tab-props.ts";

/** Cells of the slot strip, at most. */
const CELLS = 120;
/** Heights of the panels of figures, slots and response times of a check with one location. */
const SKELETON_PX = [96, 202, 484];

/** Shows the tab. */
export function OverviewTab({ check, results, range, nameOf }: TabProps) {
  const failure = results.find(({ status }) => status !== "success");
  const [newest] = results;
  const { url, endpoint } = check.configJson as Record<string, unknown>;
  const queries = [
    useQuery(locationsQuery),
    useQuery(seriesQuery(check.id, range, "location")),
    useQuery(slotsQuery(check.id, range, CELLS)),
    useQuery(alertsQuery({ checkId: check.id })),
    useQuery(annotationsQuery(annotationsOf(check.id, range))),
    useQuery(analysisQuery(check.id)),
  ];
  const isTls = [url, endpoint].some((one) => typeof one === "string" && /^https:/i.test(one));
  return (
    <Together queries={queries} heightsPx={SKELETON_PX}>
      <PushUrl check={check} />
      <RangeFigures
        checkId={check.id}
        hasLocations={check.locations.length > 1}
        range={range}
        cells={CELLS}
        nameOf={nameOf}
      />
      <Panel title="Slots">
        <SlotsFigure check={check} range={range} cells={CELLS} nameOf={nameOf} />
      </Panel>
      <Panel title="Response time">
        <ResponseTimes checkId={check.id} range={range} nameOf={nameOf} />
        <Annotations checkId={check.id} range={range} />
      </Panel>
      {failure && <LastFailure checkId={check.id} resultId={failure.id} nameOf={nameOf} />}
      <InsightPanel checkId={check.id} />
      {newest && check.type === "browser" && <NewestPage result={newest} nameOf={nameOf} />}
      {newest && check.type === "mcp" && <NewestMcpReport result={newest} nameOf={nameOf} />}
      {isTls && check.type !== "browser" && <Certificates checkId={check.id} nameOf={nameOf} />}
    </Together>
  );
}
