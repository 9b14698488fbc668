/** The response times of a check over a range, drawn or as a table. */
import "./charts.css";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useMemo, useState } from "react";
import { annotationsOf, annotationsQuery } from "../api/queries/annotations.ts";
import { baselineQuery, type CheckBaseline, type Series, seriesQuery } from "../api/queries/history.ts";
import { durationText, instantText } from "../time/format.ts";
import { Choice } from "../ui/choice.tsx";
import { Loaded } from "../ui/panel.tsx";
import { Table } from "../ui/table.tsx";
import { Text } from "../ui/text.tsx";
import type { PageRange } from "../ui/use-range.ts";
import { linesOf, MODES, type Mode, stacked, summaryOf } from "./lines.ts";
import { bandOf } from "./usual-band.ts";

const Plot = lazy(() => import("./plot.tsx"));

/** What is shown. */
export interface ResponseTimesProps {
  checkId: string;
  range: PageRange;
  nameOf(locationId: string): string;
}

/** Shows the figure. */
export function ResponseTimes({ checkId, range, nameOf }: ResponseTimesProps) {
  const [mode, setMode] = useState<Mode>("location");
  const [isTable, setIsTable] = useState(false);
  const query = useQuery(seriesQuery(checkId, range, mode === "location" ? "location" : "all"));
  const baselines = useQuery(baselineQuery(checkId)).data?.locations;
  const [chosen, setChosen] = useState<string>();
  // Of one location there is no question whose usual range it is.
  const usualOf = chosen ?? (query.data?.series.length === 1 ? (baselines?.[0]?.locationId ?? "") : "");
  const usual = mode === "location" ? baselines?.find(({ locationId }) => locationId === usualOf) : undefined;
  return (
    <figure aria-label="Response time">
      <div className="row">
        <label>
          Show{" "}
          <select value={mode} onChange={({ target }) => setMode(target.value as Mode)}>
            {(Object.keys(MODES) as Mode[]).map((key) => (
              <option key={key} value={key}>
                {MODES[key]}
              </option>
            ))}
          </select>
        </label>
        {mode === "location" && baselines !== undefined && baselines.length > 0 && (
          <Choice
            label="Usual range of"
            value={usualOf}
            options={[
              ["", "None"],
              ...baselines.map(({ locationId }) => [locationId, nameOf(locationId)] as const),
            ]}
            onChoose={setChosen}
          />
        )}
        <button type="button" className="quiet-button" onClick={() => setIsTable(!isTable)}>
          {isTable ? "Show as chart" : "Show as table"}
        </button>
      </div>
      <Loaded query={query}>
        {(series) => (
          <>
            <figcaption>{summaryOf(series, durationText, atText)}</figcaption>
            {isTable ? (
              <div className="low">
                <SeriesTable series={series} mode={mode} nameOf={nameOf} />
              </div>
            ) : (
              <Chart
                checkId={checkId}
                series={series}
                mode={mode}
                nameOf={nameOf}
                range={range}
                usual={usual}
              />
            )}
          </>
        )}
      </Loaded>
    </figure>
  );
}

const atText = (ms: number) => instantText(new Date(ms).toISOString());

type Part = { series: Series; mode: Mode; nameOf(locationId: string): string };

function bucketsOf({ from, to, bucketMs }: Series): number[] {
  const fromMs = Date.parse(from);
  return Array.from(
    { length: Math.round((Date.parse(to) - fromMs) / bucketMs) },
    (_, i) => fromMs + i * bucketMs,
  );
}

function Chart({
  checkId,
  series,
  mode,
  nameOf,
  range,
  usual,
}: Part & { checkId: string; range: PageRange; usual: CheckBaseline["locations"][number] | undefined }) {
  const happened = useQuery({
    ...annotationsQuery(annotationsOf(checkId, range)),
    placeholderData: (before) => before,
  }).data?.annotations;
  const marksMs = useMemo(() => (happened ?? []).map(({ at }) => Date.parse(at)), [happened]);
  // Names arrive after the chart; they are no reason to draw it anew unless they differ.
  const names = series.series
    .map(({ locationId }) => (locationId === null ? "" : nameOf(locationId)))
    .join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: names stands for nameOf
  const { atMs, lines } = useMemo(() => {
    const all = linesOf(series, mode, nameOf);
    return { atMs: bucketsOf(series), lines: mode === "phases" ? stacked(all) : all };
  }, [series, mode, names]);
  const band = useMemo(() => usual && bandOf(usual, atMs), [usual, atMs]);
  return (
    <Suspense fallback={<div className="plot" aria-busy="true" />}>
      <Plot
        atMs={atMs}
        lines={lines}
        isFilled={mode === "phases"}
        band={band}
        marksMs={marksMs}
        onZoom={(fromMs, toMs) => range.setRange({ fromMs: Math.round(fromMs), toMs: Math.round(toMs) })}
      />
    </Suspense>
  );
}

function SeriesTable({ series, mode, nameOf }: Part) {
  const lines = linesOf(series, mode, nameOf);
  return (
    <Table
      name="Response times"
      rows={bucketsOf(series).map((atMs, i) => ({ atMs, i }))}
      keyOf={({ atMs }) => String(atMs)}
      columns={[
        { title: "From", cell: ({ atMs }) => atText(atMs) },
        ...lines.map(({ name, values }) => ({
          title: name,
          cell: ({ i }: { atMs: number; i: number }) => {
            const ms = values[i] ?? null;
            return ms === null ? <span className="quiet">none</span> : <Text>{`${ms.toFixed(1)} ms`}</Text>;
          },
        })),
      ]}
    />
  );
}
