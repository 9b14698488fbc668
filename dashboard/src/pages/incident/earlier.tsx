/** Earlier incidents whose alerts shared the facts that this one's share, with how they ended. */
import { useQueries } from "@tanstack/react-query";
import { incidentQuery } from "../../api/queries/incidents.ts";
import { incidentStates } from "../../status/words.ts";
import { durationText, instantText } from "../../time/format.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Text } from "../../ui/text.tsx";
import { endMsOf, type ShownIncident } from "./triage.ts";

/** Earlier incidents that are shown, the newest ones. */
const SHOWN_MAX = 5;

/** Shows them; nothing when there were none. */
export function EarlierIncidents({ ids }: { ids: readonly string[] }) {
  const queries = useQueries({ queries: ids.slice(0, SHOWN_MAX).map((id) => incidentQuery(id)) });
  if (ids.length === 0) return null;
  const earlier = queries.flatMap(({ data }) => data?.incident ?? []);
  return (
    <Panel title="It happened before">
      <p className="quiet">
        {ids.length === 1 ? "Once" : `${ids.length} times`} in the 30 days before, with the same things
        shared.
      </p>
      <ul
        className="cards"
        aria-label="Earlier incidents"
        aria-busy={queries.some(({ isPending }) => isPending)}
      >
        {earlier.map((incident) => (
          <li key={incident.id}>
            <p className="card-head">
              <State state={incidentStates[incident.state]} />
              <PageLink page="incident" parameters={{ id: incident.id }}>
                <Text>{incident.title}</Text>
              </PageLink>
            </p>
            <p className="below">
              <time dateTime={incident.openedAt}>{instantText(incident.openedAt)}</time>
              <Text>{endText(incident)}</Text>
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function endText(incident: ShownIncident): string {
  const endMs = endMsOf(incident);
  const lasted = endMs === undefined ? "" : `, lasted ${durationText(endMs - Date.parse(incident.openedAt))}`;
  if (incident.closedBy !== null) return `${lasted}, closed by ${incident.closedByName ?? incident.closedBy}`;
  return incident.resolvedAt === null ? lasted : `${lasted}, ended by itself`;
}
