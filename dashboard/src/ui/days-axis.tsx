/** The days below a picture of a range of time. */
import "./days-axis.css";
import { timeZone } from "../preferences/preferences.ts";
import { dayText } from "../time/format.ts";
import { midnights } from "../time/midnights.ts";

/** Shows the days, as text that keeps its size while the picture stretches. */
export function DaysAxis({ fromMs, toMs }: { fromMs: number; toMs: number }) {
  return (
    <div className="days-axis" aria-hidden="true">
      {midnights(fromMs, toMs, timeZone()).map(({ value, position }) => (
        <span key={value} style={{ left: `${position * 100}%` }}>
          {dayText(value)}
        </span>
      ))}
    </div>
  );
}
