/** The picture of an error budget over its window, or its figures as a table. */
import { type PointerEvent, useMemo, useState } from "react";
import type { SloSeries } from "../../api/queries/slos.ts";
import { durationText, instantText, percentText } from "../../time/format.ts";
import { DaysAxis } from "../../ui/days-axis.tsx";
import { Table } from "../../ui/table.tsx";
import { burnDownShape, HEIGHT, WIDTH } from "./burn-down-shape.ts";
import "./slo.css";

type Point = SloSeries["points"][number];

/** Shows the course of a budget against an even pace. */
export function BurnDown({ series }: { series: SloSeries }) {
  const [isTable, setIsTable] = useState(false);
  return (
    <figure aria-label="Error budget left over the window">
      <div className="figure-head">
        <figcaption>{sentenceOf(series)}</figcaption>
        <button type="button" className="quiet-button" onClick={() => setIsTable(!isTable)}>
          {isTable ? "Show as chart" : "Show as table"}
        </button>
      </div>
      {isTable ? <HoursTable points={series.points} /> : <Chart series={series} />}
    </figure>
  );
}

function Chart({ series }: { series: SloSeries }) {
  const shape = useMemo(() => burnDownShape(series), [series]);
  const [chosen, setChosen] = useState<Point>();
  const fromMs = Date.parse(series.from);
  const lengthMs = Date.parse(series.to) - fromMs;
  const point = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const atMs = fromMs + ((clientX - left) / width) * lengthMs;
    setChosen(series.points.find(({ at }) => Date.parse(at) >= atMs) ?? series.points.at(-1));
  };
  return (
    <>
      <div className="burn-down" aria-hidden="true">
        <div className="burn-down-shares">
          {shape.shares.map(({ value, position }) => (
            <span key={value} style={{ top: `${position * 100}%` }}>
              {value * 100} %
            </span>
          ))}
        </div>
        <div className="burn-down-plot" onPointerMove={point} onPointerLeave={() => setChosen(undefined)}>
          <svg aria-hidden="true" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
            {shape.held.map(({ x, width }) => (
              <rect key={x} className="burn-down-held" x={x} width={width} height={HEIGHT} />
            ))}
            {shape.shares.map(({ value, position }) => (
              <path key={value} className="burn-down-grid" d={`M0 ${position * HEIGHT}H${WIDTH}`} />
            ))}
            <path className="burn-down-pace" d={shape.evenPace} />
            <path className="burn-down-area" d={shape.area} />
            <path className="burn-down-line" d={shape.line} />
            {chosen && (
              <path
                className="burn-down-chosen"
                d={`M${((Date.parse(chosen.at) - fromMs) / lengthMs) * WIDTH} 0V${HEIGHT}`}
              />
            )}
          </svg>
        </div>
        <div className="burn-down-days">
          <DaysAxis fromMs={fromMs} toMs={fromMs + lengthMs} />
        </div>
      </div>
      <p className="quiet burn-down-legend">
        {chosen
          ? `${instantText(chosen.at)}: ${percentText(chosen.budgetLeft)} left; ${hourText(chosen)}`
          : "Solid: what was left. Dashed: an even pace, which spends the budget exactly over the window. Grey: maintenance, left out."}
      </p>
    </>
  );
}

function HoursTable({ points }: { points: readonly Point[] }) {
  return (
    <Table
      name="Error budget by hour"
      rows={points.toReversed()}
      keyOf={({ at }) => at}
      columns={[
        { title: "Until", cell: ({ at }) => <time dateTime={at}>{instantText(at)}</time> },
        { title: "Budget left", cell: ({ budgetLeft }) => percentText(budgetLeft) },
        { title: "Results", cell: ({ total }) => total },
        { title: "Bad", cell: ({ bad }) => bad },
      ]}
    />
  );
}

function hourText({ total, bad }: Point): string {
  if (total === 0) return "no result in this hour";
  return `${bad} of ${total} results bad in this hour`;
}

/** Says where the budget stands against an even pace, and how long it lasts. */
function sentenceOf({ points, from, to, exhaustedAt }: SloSeries): string {
  const last = points.at(-1);
  if (!last || points.every(({ total }) => total === 0)) return "There is no result in this window yet.";
  const windowText = durationText(Date.parse(to) - Date.parse(from));
  if (last.budgetLeft <= 0) return `More was spent than the budget of ${windowText} holds.`;
  const left = `${percentText(last.budgetLeft)} of the budget of ${windowText} is left`;
  if (exhaustedAt === null) return `${left}; nothing was spent in the last 24 hours.`;
  return `${left}. At the pace of the last 24 hours it is exhausted in ${durationText(Date.parse(exhaustedAt) - Date.parse(to))}.`;
}
