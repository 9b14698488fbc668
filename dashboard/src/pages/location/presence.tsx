/** When runners were connected to a location over the last days, as a picture or as a table. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Presence, presenceQuery } from "../../api/queries/locations.ts";
import { durationText, instantText, percentText } from "../../time/format.ts";
import { DaysAxis } from "../../ui/days-axis.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";
import { type PresenceRow, presenceRows, summarize } from "./presence-rows.ts";

const WIDTH = 1000;
const HEIGHT = 12;
/** Runners that the picture shows, those that were there last; the table shows all. */
const ROWS_MAX = 20;

const isoOf = (ms: number) => new Date(ms).toISOString();

/** Shows the presence of a private location. */
export function PresenceFigure({ locationId }: { locationId: string }) {
  const presence = useQuery(presenceQuery(locationId));
  const [isTable, setIsTable] = useState(false);
  return (
    <Loaded query={presence}>
      {(loaded) =>
        loaded.presences.length === 0 ? (
          <Empty>No runner was connected in the last 7 days.</Empty>
        ) : (
          <figure aria-label="Runners connected over 7 days">
            <div className="figure-head">
              <figcaption>{sentenceOf(loaded)}</figcaption>
              <button type="button" className="quiet-button" onClick={() => setIsTable(!isTable)}>
                {isTable ? "Show as chart" : "Show as table"}
              </button>
            </div>
            {isTable ? <TimesTable rows={presenceRows(loaded)} /> : <Chart presence={loaded} />}
            {!loaded.isComplete && <p className="quiet">Only the newest connections are shown.</p>}
          </figure>
        )
      }
    </Loaded>
  );
}

function Chart({ presence }: { presence: Presence }) {
  const rows = presenceRows(presence);
  const fromMs = Date.parse(presence.from);
  const toMs = Date.parse(presence.to);
  const x = (ms: number) => Math.round(((ms - fromMs) / (toMs - fromMs)) * WIDTH * 10) / 10;
  return (
    <div className="presence">
      {rows.slice(0, ROWS_MAX).map(({ runnerId, hostname, spans }) => (
        <div key={runnerId} className="presence-row">
          <Text>{hostname}</Text>
          <svg aria-hidden="true" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
            <path className="presence-ground" d={`M0 ${HEIGHT / 2}H${WIDTH}`} />
            {spans.map((span) => (
              <rect
                key={span.fromMs}
                x={x(span.fromMs)}
                width={Math.max(1, x(span.toMs) - x(span.fromMs))}
                height={HEIGHT}
              />
            ))}
          </svg>
        </div>
      ))}
      <div className="presence-days">
        <DaysAxis fromMs={fromMs} toMs={toMs} />
      </div>
      {rows.length > ROWS_MAX && <p className="quiet">and {rows.length - ROWS_MAX} runners before these</p>}
    </div>
  );
}

function TimesTable({ rows }: { rows: readonly PresenceRow[] }) {
  const times = rows.flatMap(({ runnerId, hostname, spans }) =>
    spans.map((span) => ({ runnerId, hostname, ...span })),
  );
  return (
    <Table
      name="Connections of runners"
      rows={times.sort((a, b) => b.fromMs - a.fromMs)}
      keyOf={({ runnerId, fromMs }) => `${runnerId} ${fromMs}`}
      columns={[
        { title: "Host", cell: ({ hostname }) => <Text>{hostname}</Text> },
        {
          title: "From",
          cell: ({ fromMs }) => <time dateTime={isoOf(fromMs)}>{instantText(isoOf(fromMs))}</time>,
        },
        {
          title: "Until",
          cell: ({ toMs }) => <time dateTime={isoOf(toMs)}>{instantText(isoOf(toMs))}</time>,
        },
        { title: "For", cell: ({ fromMs, toMs }) => durationText(toMs - fromMs) },
      ]}
    />
  );
}

/** Says for which share of the time a runner was connected, and when none was for longest. */
function sentenceOf(presence: Presence): string {
  const { share, absences, sinceMs } = summarize(presence);
  const since = sinceMs === undefined ? "" : ` since ${instantText(isoOf(sinceMs))}`;
  const [longest] = absences;
  if (!longest) return `A runner was connected all the time${since}.`;
  const lasted = durationText(longest.toMs - longest.fromMs);
  return `A runner was connected ${percentText(share)} of the time${since}. Longest without one: ${lasted}, from ${instantText(isoOf(longest.fromMs))}.`;
}
