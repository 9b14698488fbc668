/** An alert: why it fired, what happened to it since, and what can be done about it. */
import type { alertInstanceRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "wouter";
import { alertQuery } from "../../api/queries/alerts.ts";
import { incidentOfAlertQuery } from "../../api/queries/incidents.ts";
import { type Answer, request } from "../../api/request.ts";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { Notified } from "../../shell/notified.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { alertStates, incidentStates, severityWords } from "../../status/words.ts";
import { Ago } from "../../time/ago.tsx";
import { durationText, instantText } from "../../time/format.ts";
import { Action } from "../../ui/action.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Loaded, Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Text } from "../../ui/text.tsx";
import { WhyItFired } from "./why-it-fired.tsx";

type Instance = Answer<typeof alertInstanceRoutes.get>["instance"];

const MUTE_MS = 60 * 60 * 1000;

/** Shows the alert that the address names. */
export default function AlertPage() {
  const { id = "" } = useParams<{ id: string }>();
  const query = useQuery(alertQuery(id));
  if (isNotFound(query.error)) return <NotFound title="Alert not found" />;
  return (
    <Loaded query={query}>
      {({ instance, events }) => (
        <Page title={titleOf(instance)} actions={<AlertActions instance={instance} />}>
          <p className="facts">
            <State state={alertStates[instance.state]} />
            <span>{severityWords[instance.severity]}</span>
            <span>
              began <Ago at={instance.startedAt} />
            </span>
            {instance.durationMs !== null && <span>lasted {durationText(instance.durationMs)}</span>}
            {instance.muted && (
              <span>
                {instance.mutedUntil === null
                  ? "Muted until it is lifted"
                  : `Muted until ${instantText(instance.mutedUntil)}`}
              </span>
            )}
            {instance.checkId !== null && (
              <PageLink page="check" parameters={{ id: instance.checkId }}>
                <Text>{instance.checkName ?? instance.checkId}</Text>
              </PageLink>
            )}
          </p>
          <WhyItFired instance={instance} />
          <ItsIncident id={instance.id} />
          <Notified
            subjectId={instance.id}
            nobody={
              instance.muted
                ? "Nobody was notified: the alert is muted."
                : "Nobody was notified: the rule names no channel, or the alert began muted."
            }
          />
          <Panel title="What happened">
            <ol className="timeline">
              {events.map(({ id, type, createdAt, actorName }) => (
                <li key={id}>
                  <time dateTime={createdAt}>{instantText(createdAt)}</time> {type}
                  {actorName !== null && (
                    <>
                      {" by "}
                      <Text>{actorName}</Text>
                    </>
                  )}
                </li>
              ))}
            </ol>
          </Panel>
        </Page>
      )}
    </Loaded>
  );
}

/** Shows the incident that the alert belongs to, when there is one. */
function ItsIncident({ id }: { id: string }) {
  const [incident] = useQuery(incidentOfAlertQuery(id)).data?.incidents ?? [];
  if (!incident) return null;
  return (
    <Panel title="Its incident">
      <p className="card-head">
        <State state={incidentStates[incident.state]} />
        <PageLink page="incident" parameters={{ id: incident.id }}>
          <Text>{incident.title}</Text>
        </PageLink>
      </p>
      <p>
        <Text>{incident.hypothesis.summary}</Text>
      </p>
    </Panel>
  );
}

function AlertActions({ instance: { id, state, muted } }: { instance: Instance }) {
  const mayChange = useMayChange();
  if (!mayChange || (state !== "active" && state !== "acknowledged")) return null;
  const params = { id };
  return (
    <>
      {state === "active" && (
        <Action
          label="Acknowledge"
          act={() =>
            request<typeof alertInstanceRoutes.acknowledge>("POST", "/api/alerts/instances/:id/acknowledge", {
              params,
            })
          }
        />
      )}
      <Action
        label="Resolve"
        isQuiet
        act={() =>
          request<typeof alertInstanceRoutes.resolve>("POST", "/api/alerts/instances/:id/resolve", { params })
        }
      />
      {muted ? (
        <Action
          label="Unmute"
          isQuiet
          act={() =>
            request<typeof alertInstanceRoutes.unmute>("POST", "/api/alerts/instances/:id/unmute", { params })
          }
        />
      ) : (
        <Action
          label="Mute for 1 hour"
          isQuiet
          act={() =>
            request<typeof alertInstanceRoutes.mute>("POST", "/api/alerts/instances/:id/mute", {
              params,
              body: { until: new Date(Date.now() + MUTE_MS).toISOString() },
            })
          }
        />
      )}
    </>
  );
}

function titleOf({ contextJson: { summary }, ruleName, checkName }: Instance): string {
  return `${checkName ?? ruleName ?? "Third party"}: ${typeof summary === "string" && summary !== "" ? summary : (ruleName ?? "alert")}`;
}
