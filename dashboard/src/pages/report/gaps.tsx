/** Names the gaps of a report: days that were not counted or not measured, and incidents that are kept no longer. */
import type { ReactNode } from "react";
import type { Report } from "../../api/queries/reports.ts";
import { countText, instantText } from "../../time/format.ts";
import { monthText } from "../../ui/report-figures.tsx";

/** Says which parts of the month are unknown; nothing when all is known. */
export function Gaps({ report }: { report: Report }) {
  const gaps = gapsOf(report);
  if (gaps.length === 0) return null;
  return (
    <div role="note" aria-label="Gaps" className="report-gaps">
      {gaps.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  );
}

function gapsOf({
  month,
  isComplete,
  countedUntil,
  daysNotCounted,
  daysNotMeasured,
  incidents: { keptFrom },
}: Report): { id: string; text: ReactNode }[] {
  const gaps: { id: string; text: ReactNode }[] = [];
  if (!isComplete)
    gaps.push({
      id: "running",
      text:
        countedUntil === null
          ? `No day of ${monthText(month)} has been counted.`
          : `${monthText(month)} is not over, or not counted to its end: the last counted day is ${lastDayBefore(countedUntil)}.`,
    });
  if (daysNotCounted.length > 0)
    gaps.push({
      id: "not counted",
      text: `${countText(daysNotCounted.length, "day")} of the month ${daysNotCounted.length === 1 ? "was" : "were"} not counted, and nothing is known of them: ${rangesOf(daysNotCounted)}.`,
    });
  if (daysNotMeasured.length > 0)
    gaps.push({
      id: "not measured",
      text: `On ${countText(daysNotMeasured.length, "day")} nothing was measured though slots were due; this counts as neither up nor down: ${rangesOf(daysNotMeasured)}.`,
    });
  if (keptFrom !== null)
    gaps.push({
      id: "incidents",
      text: `Incidents that ended before ${instantText(keptFrom)} are no longer kept, and missing below.`,
    });
  return gaps;
}

const DAY_MS = 86_400_000;
const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

function lastDayBefore(instant: string): string {
  return dateOf(Date.parse(instant) - DAY_MS);
}

/** Returns days as ranges of days that follow one another. */
function rangesOf(dates: readonly string[]): string {
  const ranges: { from: string; to: string }[] = [];
  for (const date of dates) {
    const last = ranges.at(-1);
    if (last && Date.parse(date) - Date.parse(last.to) === DAY_MS) last.to = date;
    else ranges.push({ from: date, to: date });
  }
  return ranges.map(({ from, to }) => (from === to ? from : `${from} to ${to}`)).join(", ");
}
