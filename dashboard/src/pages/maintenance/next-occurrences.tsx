/** The next occurrences of all maintenance windows, in the time zones of the windows. */
import { useQuery } from "@tanstack/react-query";
import { occurrencesQuery } from "../../api/queries/occurrences.ts";
import { useNowMs } from "../../time/ago.tsx";
import { durationText, instantText, wallTimeText } from "../../time/format.ts";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the occurrences: those that hold now, and the next ones. */
export function NextOccurrences() {
  const occurrences = useQuery(occurrencesQuery);
  const nowMs = useNowMs();
  return (
    <Panel title="Next occurrences">
      <Loaded query={occurrences}>
        {({ occurrences: all }) =>
          all.length === 0 ? (
            <Empty>No window holds now or later.</Empty>
          ) : (
            <ol className="plain occurrences" aria-label="Next occurrences">
              {all.map(({ maintenanceWindowId, name, startsAt, endsAt, timezone }) => (
                <li key={`${maintenanceWindowId} ${startsAt}`}>
                  <time dateTime={startsAt} title={instantText(startsAt)}>
                    {wallTimeText(startsAt, timezone)}
                  </time>{" "}
                  <span className="quiet">{timezone}</span> <Text>{name}</Text>{" "}
                  <span className="quiet">{whenText({ startsAt, endsAt, nowMs })}</span>
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </Panel>
  );
}

/** Says how far away an occurrence is, and how long it lasts. */
function whenText({ startsAt, endsAt, nowMs }: { startsAt: string; endsAt: string; nowMs: number }): string {
  const [startMs, endMs] = [Date.parse(startsAt), Date.parse(endsAt)];
  const lasts = `for ${durationText(endMs - startMs)}`;
  if (startMs > nowMs) return `in ${durationText(startMs - nowMs)}, ${lasts}`;
  return `${lasts}, ends in ${durationText(Math.max(0, endMs - nowMs))}`;
}
