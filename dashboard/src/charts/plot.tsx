/** Draws lines over time with uPlot, in a chunk of its own. */
import "uplot/dist/uPlot.min.css";
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { timeZone } from "../preferences/preferences.ts";
import { clockText, dayText, durationText, shortInstantText } from "../time/format.ts";
import type { Line } from "./lines.ts";
import type { Band } from "./usual-band.ts";

const HEIGHT = 240;
const DAY_SECONDS = 86_400;
/** Measurements of a line up to which each is a point. */
const POINTS_MAX = 60;
/** Patterns of the lines, so that they differ without colours, too. */
const DASHES = [[], [6, 3], [2, 2], [8, 2, 2, 2], [12, 4]] as const;

/** A chart: instants of the buckets, Unix ms, and lines. */
export interface PlotProps {
  atMs: readonly number[];
  lines: readonly Line[];
  isFilled: boolean;
  /** Range in which values usually are. */
  band: Band | undefined;
  /** Instants of what happened meanwhile, Unix ms; their words stand below the chart. */
  marksMs: readonly number[];
  /** Called with the part of the chart that was drawn over. */
  onZoom(fromMs: number, toMs: number): void;
}

/** Shows the chart; a part that the pointer draws over becomes the range. */
export default function Plot({ atMs, lines, isFilled, band, marksMs, onZoom }: PlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const zoom = useRef(onZoom);
  zoom.current = onZoom;
  useEffect(() => {
    const element = host.current as HTMLDivElement;
    const { quiet, line, accents } = coloursOf(element);
    const axis = { stroke: quiet, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
    const options: uPlot.Options = {
      width: element.clientWidth,
      height: HEIGHT,
      tzDate: (ts) => uPlot.tzDate(new Date(ts * 1000), timeZone()),
      legend: { live: true },
      cursor: { drag: { x: true, y: false, setScale: false } },
      scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.05)] } },
      axes: [
        { ...axis, values: timesOf },
        { ...axis, size: 70, values: (_plot, ticks) => ticks.map((ms) => durationText(ms)) },
      ],
      series: [
        { value: (_plot, seconds) => (seconds === null ? "none" : shortInstantText(seconds * 1000)) },
        ...lines.map(({ name, values }, i) => {
          const stroke = accents[i % accents.length] as string;
          return {
            label: name,
            stroke,
            width: 1.5,
            dash: [...(DASHES[Math.floor(i / accents.length) % DASHES.length] ?? [])],
            spanGaps: false,
            // A measurement between two gaps has no line; few of them are points.
            points: { show: values.filter((value) => value !== null).length <= POINTS_MAX, size: 5 },
            value: (_plot: uPlot, ms: number | null) => (ms === null ? "none" : `${ms.toFixed(1)} ms`),
            ...(isFilled && { fill: `color-mix(in srgb, ${stroke} 14%, transparent)` }),
          };
        }),
        ...(band ? [boundOf("Usually from"), boundOf("Usually to")] : []),
      ],
      bands: band
        ? [
            {
              series: [lines.length + 2, lines.length + 1],
              fill: `color-mix(in srgb, ${accents[0]} 12%, transparent)`,
            },
          ]
        : [],
      hooks: {
        draw: [(plot) => drawMarks(plot, marksMs, quiet)],
        setSelect: [
          (plot) => {
            const { left, width } = plot.select;
            if (width > 4)
              zoom.current(plot.posToVal(left, "x") * 1000, plot.posToVal(left + width, "x") * 1000);
          },
        ],
      },
    };
    const plot = new uPlot(
      options,
      [
        atMs.map((ms) => ms / 1000),
        ...lines.map(({ values }) => [...values]),
        ...(band ? [[...band.low], [...band.high]] : []),
      ] as uPlot.AlignedData,
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [atMs, lines, isFilled, band, marksMs]);
  return <div ref={host} className="plot" aria-hidden="true" />;
}

/** Returns a bound of the band: a line that is not drawn, whose values the legend says. */
function boundOf(label: string): uPlot.Series {
  return {
    label,
    stroke: "transparent",
    width: 0,
    points: { show: false },
    value: (_plot, ms: number | null) => (ms === null ? "unknown" : `${ms.toFixed(1)} ms`),
  };
}

/** Draws a mark at the top edge, with a line down, for each instant in sight. */
function drawMarks(plot: uPlot, marksMs: readonly number[], colour: string): void {
  const { ctx, bbox } = plot;
  const size = 5 * devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.fillStyle = colour;
  ctx.lineWidth = devicePixelRatio;
  for (const ms of marksMs) {
    const x = Math.round(plot.valToPos(ms / 1000, "x", true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(x - size, bbox.top);
    ctx.lineTo(x + size, bbox.top);
    ctx.lineTo(x, bbox.top + size * 1.5);
    ctx.fill();
  }
  ctx.restore();
}

/** Writes the instants of the axis: days where it has one mark for each, else times of day. */
function timesOf(...[, seconds, , , stepSeconds]: Parameters<uPlot.Axis.DynamicValues>): string[] {
  return seconds.map((one) => (stepSeconds >= DAY_SECONDS ? dayText(one * 1000) : clockText(one * 1000)));
}

/** Reads the colours of the theme as the browser computes them. */
function coloursOf(element: HTMLElement): { quiet: string; line: string; accents: string[] } {
  const probe = document.createElement("span");
  element.append(probe);
  const computed = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const accents = ["--series-1", "--series-2", "--series-3", "--series-4", "--series-5"].map(computed);
  const colours = { quiet: computed("--quiet"), line: computed("--line"), accents };
  probe.remove();
  return colours;
}
