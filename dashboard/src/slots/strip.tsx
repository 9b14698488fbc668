/** The slots of one location as a row of marks that keyboard and pointer go along. */
import { type CheckId, pagePath, phaseMs, slotAtOrAfter } from "@svc/contract";
import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { useLocation } from "wouter";
import type { Slots } from "../api/queries/history.ts";
import { shortInstantText, timeText } from "../time/format.ts";
import { Text } from "../ui/text.tsx";
import { HEIGHT, pathsOf, positionOf, type StripScale, WIDTH } from "./shapes.ts";
import { cellText, sentenceOf } from "./words.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Slots that are shown ahead of now. */
const COMING = 5;

/** What the rows of one check have in common. */
export interface StripFacts {
  slots: Slots;
  check: { id: string; frequencySeconds: number; enabled: boolean };
  /** True when the range ends now: the next slots are shown then. */
  isNow: boolean;
}

/** Shows a location's slots, with a sentence that accounts for them. */
export function SlotRow({
  facts: { slots, check, isNow },
  row,
  name,
}: {
  facts: StripFacts;
  row: Slots["locations"][number];
  name: string;
}) {
  const { cells } = row;
  const [chosen, setChosen] = useState<number>();
  const [, navigate] = useLocation();
  const periodMs = check.frequencySeconds * 1000;
  const scale: StripScale = {
    fromMs: Date.parse(slots.from),
    toMs: Date.parse(slots.to),
    cellMs: slots.cellMs ?? periodMs,
  };
  const textOf = (ms: number) => (scale.toMs - scale.fromMs > DAY_MS ? shortInstantText : timeText)(ms);
  const index = Math.min(chosen ?? cells.length - 1, cells.length - 1);
  const cell = cells[index];
  const text = cell ? cellText(cell, slots.cellMs, textOf) : "No slot was due in this range.";
  const open = () => {
    if (cell?.resultId) navigate(pagePath("result", { id: check.id, resultId: cell.resultId }));
  };
  const press = (event: KeyboardEvent) => {
    const anHour = Math.max(1, Math.round(HOUR_MS / scale.cellMs));
    const steps: Record<string, number> = {
      ArrowLeft: -1,
      ArrowDown: -1,
      ArrowRight: 1,
      ArrowUp: 1,
      PageDown: -anHour,
      PageUp: anHour,
      Home: -cells.length,
      End: cells.length,
    };
    const step = steps[event.key];
    if (event.key === "Enter") open();
    else if (step !== undefined) setChosen(Math.max(0, Math.min(cells.length - 1, index + step)));
    else return;
    event.preventDefault();
  };
  const point = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const atMs = scale.fromMs + ((event.clientX - left) / width) * (scale.toMs - scale.fromMs);
    const next = cells.findIndex(({ at }) => Date.parse(at) > atMs);
    setChosen(Math.max(0, (next < 0 ? cells.length : next) - 1));
  };
  return (
    <div className="strip-row">
      <p>
        <Text>{name}</Text> <span className="quiet">{text}</span>
      </p>
      <div className="strip-line">
        <div
          role="slider"
          tabIndex={0}
          className="strip-marks"
          aria-label={`Slots at ${name}`}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, cells.length - 1)}
          aria-valuenow={Math.max(0, index)}
          aria-valuetext={text}
          onKeyDown={press}
          onPointerMove={point}
          onClick={open}
        >
          <svg aria-hidden="true" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
            {slots.idle.map(({ from, to }) => (
              <rect
                key={from}
                className="slot-idle"
                x={positionOf(Date.parse(from), scale)}
                width={Math.max(0, positionOf(Date.parse(to), scale) - positionOf(Date.parse(from), scale))}
                y={HEIGHT / 2 - 1}
                height={2}
              />
            ))}
            {[...pathsOf(cells, scale)].map(([shape, path]) => (
              <path key={shape} className={`slot slot-${shape}`} d={path} />
            ))}
            {chosen !== undefined && cell && (
              <path
                className="slot slot-chosen"
                d={`M${positionOf(Date.parse(cell.at), scale)} 0v${HEIGHT}`}
              />
            )}
          </svg>
        </div>
        {isNow && check.enabled && <Coming check={check} textOf={textOf} nowMs={scale.toMs} />}
      </div>
      <p className="quiet">{sentenceOf(row)}</p>
    </div>
  );
}

/** Shows the next slots, hollow. */
function Coming({
  check,
  textOf,
  nowMs,
}: {
  check: StripFacts["check"];
  textOf(ms: number): string;
  nowMs: number;
}) {
  const periodMs = check.frequencySeconds * 1000;
  const nextMs = slotAtOrAfter(nowMs, periodMs, phaseMs(check.id as CheckId, check.frequencySeconds));
  const slots = Array.from({ length: COMING }, (_, i) => nextMs + i * periodMs);
  return (
    <svg
      className="strip-coming"
      role="img"
      aria-label={`Next slots: ${slots.map(textOf).join(", ")}`}
      viewBox={`0 0 50 ${HEIGHT}`}
    >
      {slots.map((ms, i) => (
        <rect key={ms} className="slot slot-coming" x={i * 10 + 1} y={1} width={7} height={HEIGHT - 2} />
      ))}
    </svg>
  );
}
