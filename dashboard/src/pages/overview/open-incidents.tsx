/** Open incidents, and whether somebody has acknowledged them. */
import type { incidentRoutes } from "@svc/contract";
import type { OverviewAnswer } from "../../api/queries/overview.ts";
import { request } from "../../api/request.ts";
import { useMayChange } from "../../shell/session.tsx";
import { incidentStates, severityWords } from "../../status/words.ts";
import { Since } from "../../time/ago.tsx";
import { Action } from "../../ui/action.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the newest open incidents. @param props.count all that are open */
export function OpenIncidents({
  incidents,
  count,
}: {
  incidents: OverviewAnswer["openIncidents"];
  count: number;
}) {
  return (
    <Panel title="Open incidents">
      {incidents.length === 0 ? (
        <Empty>No incident is open.</Empty>
      ) : (
        <ul className="cards">
          {incidents.map((incident) => (
            <Incident key={incident.id} incident={incident} />
          ))}
        </ul>
      )}
      {count > incidents.length && (
        <p className="more">
          <PageLink page="incidents" parameters={{}}>
            All {count} open incidents
          </PageLink>
        </p>
      )}
    </Panel>
  );
}

function Incident({ incident }: { incident: OverviewAnswer["openIncidents"][number] }) {
  const mayChange = useMayChange();
  const { id, state, severity, title, openedAt, acknowledgedByName, hypothesis } = incident;
  return (
    <li className="overview-item">
      <div>
        <p className="card-head">
          <State state={incidentStates[state]} />
          <span>{severityWords[severity]}</span>
          <PageLink page="incident" parameters={{ id }}>
            <Text>{title}</Text>
          </PageLink>
          <span className="quiet">
            for <Since at={openedAt} />
            {acknowledgedByName !== null && (
              <>
                , acknowledged by <Text>{acknowledgedByName}</Text>
              </>
            )}
          </span>
        </p>
        <p className="quiet">
          <Text>{hypothesis}</Text>
        </p>
      </div>
      {mayChange && state === "open" && (
        <Action
          label="Acknowledge"
          act={() =>
            request<typeof incidentRoutes.acknowledge>("POST", "/api/incidents/:id/acknowledge", {
              params: { id },
            })
          }
        />
      )}
    </li>
  );
}
