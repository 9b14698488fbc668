/** The overview: whether anything is wrong, since when, and whether somebody is on it. */
import type { checkRoutes, incidentRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { checksQuery, healthQuery } from "../../api/queries/checks.ts";
import { incidentsQuery } from "../../api/queries/incidents.ts";
import { request } from "../../api/request.ts";
import { useMayChange } from "../../shell/session.tsx";
import { summaryOf, withStates } from "../../status/check-states.ts";
import { checkStates, incidentStates, severityWords } from "../../status/words.ts";
import { Since } from "../../time/ago.tsx";
import { Action } from "../../ui/action.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Strip } from "../../ui/strip.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the overview. */
export function Overview() {
  const checks = useQuery(checksQuery);
  const health = useQuery(healthQuery);
  const states =
    checks.data && health.data
      ? withStates(checks.data.checks, health.data).map(({ state }) => state)
      : undefined;
  return (
    <Page title={states ? summaryOf(states) : "Overview"}>
      <OpenIncidents />
      <FailingNow />
    </Page>
  );
}

function OpenIncidents() {
  const incidents = useQuery(incidentsQuery("open,acknowledged"));
  const mayChange = useMayChange();
  return (
    <Panel title="Open incidents">
      <Loaded query={incidents}>
        {({ incidents: open }) =>
          open.length === 0 ? (
            <Empty>No incident is open.</Empty>
          ) : (
            <ul className="cards">
              {open.map((incident) => (
                <li key={incident.id}>
                  <p className="card-head">
                    <State state={incidentStates[incident.state]} />
                    <span>{severityWords[incident.severity]}</span>
                    <PageLink page="incident" parameters={{ id: incident.id }}>
                      <Text>{incident.title}</Text>
                    </PageLink>
                    <span className="quiet">
                      for <Since at={incident.openedAt} />
                    </span>
                  </p>
                  <p>
                    <Text>{incident.hypothesis.summary}</Text>
                  </p>
                  {mayChange && incident.state === "open" && (
                    <Action
                      label="Acknowledge"
                      act={() =>
                        request<typeof incidentRoutes.acknowledge>("POST", "/api/incidents/:id/acknowledge", {
                          params: { id: incident.id },
                        })
                      }
                    />
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

function FailingNow() {
  const checks = useQuery(checksQuery);
  const health = useQuery(healthQuery);
  const mayChange = useMayChange();
  return (
    <Panel title="Failing now">
      <Loaded query={health}>
        {(known) => {
          const all = withStates(checks.data?.checks ?? [], known);
          const failing = all.filter(({ state }) => state === "unhealthy");
          if (checks.data && all.length === 0) return <FirstSteps />;
          if (failing.length === 0) return <Empty>Nothing is failing.</Empty>;
          return (
            <ul className="cards">
              {failing.map(({ check, state, health: one }) => (
                <li key={check.id}>
                  <p className="card-head">
                    <State state={checkStates[state]} />
                    <PageLink page="check" parameters={{ id: check.id }}>
                      <Text>{check.name}</Text>
                    </PageLink>
                    <span className="quiet">
                      {one?.failingLocations.length} of {check.locations.length} locations
                    </span>
                    <Strip results={one?.results ?? []} />
                  </p>
                  {mayChange && (
                    <Action
                      label="Run now"
                      isQuiet
                      act={() =>
                        request<typeof checkRoutes.trigger>("POST", "/api/checks/:id/trigger", {
                          params: { id: check.id },
                        })
                      }
                    />
                  )}
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function FirstSteps() {
  return (
    <Empty>
      <p>Nothing is watched yet. Describe a first check as code:</p>
      <pre>npx svc init --url https://example.com{"\n"}npx svc deploy --wait</pre>
    </Empty>
  );
}
