/** A check over a range: its figures, slots, response times, what happened beside them, and its last failure. */
import { ResponseTimes } from "../../charts/response-times.tsx";
import { SlotsFigure } from "../../slots/slots-figure.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Annotations } from "./annotations.tsx";
import { Certificates } from "./certificates.tsx";
import { InsightPanel } from "./insight.tsx";
import { LastFailure } from "./last-failure.tsx";
import { NewestMcpReport, NewestPage } from "./newest-run.tsx";
import { RangeFigures } from "./range-figures.tsx";
import type { TabProps } from "./tab-props.ts";

/** Cells of the slot strip, at most. */
const CELLS = 120;

/** Shows the tab. */
export function OverviewTab({ check, results, range, nameOf }: TabProps) {
  const failure = results.find(({ status }) => status !== "success");
  const [newest] = results;
  const { url, endpoint } = check.configJson as Record<string, unknown>;
  const isTls = [url, endpoint].some((one) => typeof one === "string" && /^https:/i.test(one));
  return (
    <>
      <RangeFigures checkId={check.id} range={range} cells={CELLS} nameOf={nameOf} />
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
    </>
  );
}
