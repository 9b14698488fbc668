/** An alert: why it fired, what happened to it since, and what can be done about it. */
import type { alertInstanceRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "wouter";
import { alertQuery } from "../../api/queries/alerts.ts";
import { type Answer, request } from "../../api/request.ts";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { alertStates, severityWords } from "../../status/words.ts";
import { Ago } from "../../time/ago.tsx";
import { durationText, instantText } from "../../time/format.ts";
import { Action } from "../../ui/action.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Loaded, Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Text, Verbatim } from "../../ui/text.tsx";

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
          <Panel title="What happened">
            <ol className="timeline">
              {events.map((event) => (
                <li key={event.id}>
                  <time dateTime={event.createdAt}>{instantText(event.createdAt)}</time> {event.type}
                </li>
              ))}
            </ol>
          </Panel>
        </Page>
      )}
    </Loaded>
  );
}

/** Shows what the evaluation found when the alert fired: each condition with its threshold, what was observed, and where. */
function WhyItFired({ instance: { contextJson, checkId, triggeringResultId } }: { instance: Instance }) {
  const { conditions, errorMessage } = contextJson;
  const rows = (Array.isArray(conditions) ? conditions : []) as Readonly<Record<string, unknown>>[];
  return (
    <Panel title="Why it fired">
      {typeof errorMessage === "string" && (
        <p className="lead">
          <Text>{errorMessage}</Text>
        </p>
      )}
      {checkId !== null && triggeringResultId !== null && (
        <p>
          <PageLink page="result" parameters={{ id: checkId, resultId: triggeringResultId }}>
            The result that made it fire
          </PageLink>
        </p>
      )}
      {rows.length > 0 && (
        <Table
          name="Conditions"
          rows={rows}
          keyOf={(condition) => JSON.stringify(condition)}
          columns={[
            { title: "Condition", cell: ({ type }) => <Text>{textOf(type).replaceAll("_", " ")}</Text> },
            { title: "Threshold", cell: ({ threshold }) => <Text>{textOf(threshold)}</Text> },
            { title: "Observed", cell: ({ observed }) => <Text>{textOf(observed)}</Text> },
          ]}
        />
      )}
      <details>
        <summary>All that was recorded</summary>
        <Verbatim label="Evidence">{JSON.stringify(contextJson, undefined, 2)}</Verbatim>
      </details>
    </Panel>
  );
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "none";
  return typeof value === "string" ? value : JSON.stringify(value);
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
