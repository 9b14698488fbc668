/** A check: how it stands, from where it runs, its newest results and its slots of the last 24 h. */
import { type CheckId, type checkRoutes, phaseMs, slotAtOrAfter } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "wouter";
import { useLocationNames } from "../../api/location-names.ts";
import { alertsQuery } from "../../api/queries/alerts.ts";
import { checkQuery, coverageQuery } from "../../api/queries/checks.ts";
import { type Answer, request } from "../../api/request.ts";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { useMayChange } from "../../shell/session.tsx";
import {
  alertStates,
  type CheckState,
  checkStates,
  missingReasons,
  resultStates,
} from "../../status/words.ts";
import { Ago, useNowMs } from "../../time/ago.tsx";
import { durationText, instantText, numberText, percentText } from "../../time/format.ts";
import { Action } from "../../ui/action.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

type LoadedCheck = Answer<typeof checkRoutes.get>;

/** Shows the check that the address names. */
export default function CheckPage() {
  const { id = "" } = useParams<{ id: string }>();
  const query = useQuery(checkQuery(id));
  if (isNotFound(query.error)) return <NotFound title="Check not found" />;
  return <Loaded query={query}>{(loaded) => <CheckDetails loaded={loaded} />}</Loaded>;
}

function CheckDetails({ loaded: { check, results } }: { loaded: LoadedCheck }) {
  const names = useLocationNames();
  const state = stateOf(check, results);
  return (
    <Page title={check.name} actions={<CheckActions check={check} />}>
      <p className="facts">
        <State state={checkStates[state]} /> <NextRun check={check} />
      </p>
      <Coverage id={check.id} nameOf={(id) => names.get(id) ?? id} />
      <Panel title="Alerts of this check">
        <CheckAlerts id={check.id} />
      </Panel>
      <Panel title="Newest results">
        {results.length === 0 ? (
          <Empty>There is no result yet. The first one comes within seconds of the check's creation.</Empty>
        ) : (
          <Table
            name="Results"
            rows={results}
            keyOf={(result) => result.id}
            columns={[
              {
                title: "Time",
                cell: (result) => (
                  <PageLink page="result" parameters={{ id: check.id, resultId: result.id }}>
                    {instantText(result.slotAt)}
                  </PageLink>
                ),
              },
              {
                title: "Location",
                cell: (result) => <Text>{names.get(result.locationId) ?? result.locationId}</Text>,
              },
              { title: "Status", cell: (result) => <State state={resultStates[result.status]} /> },
              { title: "Response time", cell: (result) => durationText(result.responseTimeMs) },
              { title: "HTTP status", cell: (result) => result.httpStatusCode ?? "none" },
              { title: "Error", cell: (result) => <Text>{result.errorMessage ?? ""}</Text> },
            ]}
          />
        )}
      </Panel>
    </Page>
  );
}

function CheckActions({ check }: { check: LoadedCheck["check"] }) {
  if (!useMayChange()) return null;
  const params = { id: check.id };
  return (
    <>
      <Action
        label="Run now"
        act={() => request<typeof checkRoutes.trigger>("POST", "/api/checks/:id/trigger", { params })}
      />
      <Action
        label={check.enabled ? "Pause" : "Resume"}
        isQuiet
        act={() =>
          request<typeof checkRoutes.update>("PUT", "/api/checks/:id", {
            params,
            body: { enabled: !check.enabled },
          })
        }
      />
    </>
  );
}

/** Says when the check runs next, computed from its slot grid. */
function NextRun({ check }: { check: LoadedCheck["check"] }) {
  const nowMs = useNowMs();
  const every = `Every ${durationText(check.frequencySeconds * 1000)} from ${numberText(check.locations.length)} ${check.locations.length === 1 ? "location" : "locations"}`;
  if (!check.enabled) return <span>{every}, paused</span>;
  const phase = phaseMs(check.id as CheckId, check.frequencySeconds);
  const nextMs = slotAtOrAfter(nowMs, check.frequencySeconds * 1000, phase);
  return (
    <span>
      {every}, next:{" "}
      <time dateTime={new Date(nextMs).toISOString()}>in {Math.ceil((nextMs - nowMs) / 1000)} s</time>
    </span>
  );
}

function Coverage({ id, nameOf }: { id: string; nameOf(locationId: string): string }) {
  const coverage = useQuery(coverageQuery(id));
  return (
    <Panel title="Slots of the last 24 hours">
      <Loaded query={coverage}>
        {({ locations }) => {
          const missing = locations.flatMap((one) =>
            one.missing.map((slot) => ({ ...slot, locationId: one.locationId })),
          );
          return (
            <>
              <Table
                name="Slots by location"
                rows={locations}
                keyOf={({ locationId }) => locationId}
                columns={[
                  { title: "Location", cell: ({ locationId }) => <Text>{nameOf(locationId)}</Text> },
                  { title: "Expected", cell: ({ expected }) => numberText(expected) },
                  { title: "Received", cell: ({ received }) => numberText(received) },
                  { title: "Late", cell: ({ late }) => numberText(late) },
                  { title: "Missing", cell: ({ missingCount }) => numberText(missingCount) },
                  {
                    title: "Accounted for",
                    cell: ({ expected, received }) =>
                      expected === 0 ? "none due" : percentText(received / expected),
                  },
                ]}
              />
              {missing.length > 0 && (
                <Table
                  name="Missing slots"
                  rows={missing.slice(0, 50)}
                  keyOf={({ locationId, slotAt }) => `${locationId} ${slotAt}`}
                  columns={[
                    { title: "Slot", cell: ({ slotAt }) => instantText(slotAt) },
                    { title: "Location", cell: ({ locationId }) => <Text>{nameOf(locationId)}</Text> },
                    { title: "Reason", cell: ({ reason }) => missingReasons[reason] },
                  ]}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function CheckAlerts({ id }: { id: string }) {
  const alerts = useQuery(alertsQuery({ checkId: id }));
  return (
    <Loaded query={alerts}>
      {({ instances }) =>
        instances.length === 0 ? (
          <Empty>No alert of this check has fired.</Empty>
        ) : (
          <ul className="plain">
            {instances.slice(0, 10).map((one) => (
              <li key={one.id}>
                <State state={alertStates[one.state]} />{" "}
                <PageLink page="alert" parameters={{ id: one.id }}>
                  <Text>{one.ruleName ?? "Alert"}</Text>
                </PageLink>{" "}
                <Ago at={one.startedAt} />
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

/** Returns the state of a check by the newest result of each of its locations. */
function stateOf(check: LoadedCheck["check"], results: LoadedCheck["results"]): CheckState {
  if (!check.enabled) return "paused";
  const newest = new Map<string, boolean>();
  for (const { locationId, status } of results)
    if (!newest.has(locationId)) newest.set(locationId, status === "success");
  if (newest.size === 0) return "unknown";
  return [...newest.values()].every(Boolean) ? "healthy" : "unhealthy";
}
