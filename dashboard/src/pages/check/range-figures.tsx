/** The figures of a check over a range. */
import { useQuery } from "@tanstack/react-query";
import { alertsQuery } from "../../api/queries/alerts.ts";
import { seriesQuery, slotsQuery } from "../../api/queries/history.ts";
import { countText, durationText, numberText, percentText } from "../../time/format.ts";
import { Figures, FigureValue } from "../../ui/figure-value.tsx";
import { Text } from "../../ui/text.tsx";
import type { PageRange } from "../../ui/use-range.ts";
import { slowestOf } from "./slowest.ts";

/** Shows the figures. They are read with what the page shows below them. @param props.cells of the slot strip below */
export function RangeFigures({
  checkId,
  hasLocations,
  range,
  cells,
  nameOf,
}: {
  checkId: string;
  /** True: the check has more than one location. */
  hasLocations: boolean;
  range: PageRange;
  cells: number;
  nameOf(locationId: string): string;
}) {
  const series = useQuery(seriesQuery(checkId, range, "location")).data;
  const slots = useQuery(slotsQuery(checkId, range, cells)).data;
  const alerts = useQuery(alertsQuery({ checkId })).data?.instances;
  const fired = alerts?.filter(({ startedAt }) => {
    const atMs = Date.parse(startedAt);
    return atMs >= range.fromMs && atMs < range.toMs;
  });
  const whole = series?.whole;
  const total = whole && whole.success + whole.failure + whole.error + whole.timeout;
  const slowest = series && slowestOf(series.series);
  const sumOf = (field: "expected" | "received") =>
    slots?.locations.reduce((sum, location) => sum + location[field], 0);
  const expected = sumOf("expected");
  const received = sumOf("received");
  return (
    <div className="panel range-figures" aria-busy={!series || !slots}>
      <Figures>
        <FigureValue
          title="Availability"
          note={total === undefined ? " " : `of ${countText(total, "result")}`}
        >
          {total ? percentText((whole?.success ?? 0) / total) : "none"}
        </FigureValue>
        <FigureValue title="Median" note="response time">
          {durationOf(whole?.p50Ms)}
        </FigureValue>
        <FigureValue title="95th percentile" note="response time">
          {durationOf(whole?.p95Ms)}
        </FigureValue>
        {hasLocations && (
          <FigureValue
            title="Slowest location"
            note={slowest ? `${durationText(slowest.avgMs)} on average` : " "}
          >
            {slowest ? <Text>{nameOf(slowest.locationId)}</Text> : "none"}
          </FigureValue>
        )}
        <FigureValue
          title="Slots"
          note={expected === undefined || received === undefined ? " " : missingText(expected - received)}
        >
          {expected === undefined ? "none" : `${numberText(received ?? 0)} of ${numberText(expected)}`}
        </FigureValue>
        <FigureValue title="Alerts" note="began in this range">
          {fired === undefined ? "none" : numberText(fired.length)}
        </FigureValue>
      </Figures>
    </div>
  );
}

const durationOf = (ms: number | null | undefined) => (ms == null ? "none" : durationText(ms));

function missingText(missing: number): string {
  return missing <= 0 ? "all accounted for" : `${numberText(missing)} without a result`;
}
