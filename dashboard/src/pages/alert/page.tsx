/** An alert: why it fired, what happened to it since, and what can be done about it. */
import type { alertInstanceRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "wouter";
import { alertQuery } from "../../api/queries/alerts.ts";
import { incidentOfAlertQuery } from "../../api/queries/incidents.ts";
import type { Answer } from "../../api/request.ts";
import { timeZone } from "../../preferences/preferences.ts";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { Notified } from "../../shell/notified.tsx";
import { alertStates, incidentStates, severityWords } from "../../status/words.ts";
import { Ago } from "../../time/ago.tsx";
import { durationText } from "../../time/format.ts";
import { HeldBackText } from "../../ui/held-back.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Loaded, Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Text } from "../../ui/text.tsx";
import { AlertActions } from "./alert-actions.tsx";
import { History } from "./history.tsx";
import { HowItEnds } from "./how-it-ends.tsx";
import { muteText, whyNobody } from "./mute-words.ts";
import { WhyItFired } from "./why-it-fired.tsx";

type Instance = Answer<typeof alertInstanceRoutes.get>["instance"];

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
            {instance.muted && <span>{muteText(instance, timeZone())}</span>}
            {instance.heldBack && (
              <span>
                <HeldBackText heldBack={instance.heldBack} />
              </span>
            )}
            {instance.checkId !== null && (
              <PageLink page="check" parameters={{ id: instance.checkId }}>
                <Text>{instance.checkName ?? instance.checkId}</Text>
              </PageLink>
            )}
          </p>
          <div className="two-columns">
            <div>
              <WhyItFired instance={instance} />
              <HowItEnds alert={{ instance, events }} />
            </div>
            <div>
              <ItsIncident id={instance.id} />
              <Notified subjectId={instance.id} nobody={whyNobody({ instance, events }, timeZone())} />
              <History events={events} />
            </div>
          </div>
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

function titleOf({ contextJson: { summary }, ruleName, checkName }: Instance): string {
  return `${checkName ?? ruleName ?? "Third party"}: ${typeof summary === "string" && summary !== "" ? summary : (ruleName ?? "alert")}`;
}
