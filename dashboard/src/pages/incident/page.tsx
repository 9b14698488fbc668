/** Triage of an incident: the likely cause with its evidence, what is affected, what happened, and notes. */
import type { incidentRoutes } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useParams } from "wouter";
import { incidentQuery } from "../../api/queries/incidents.ts";
import { type Answer, request } from "../../api/request.ts";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { alertStates, incidentStates, severityWords } from "../../status/words.ts";
import { Ago } from "../../time/ago.tsx";
import { instantText } from "../../time/format.ts";
import { Action } from "../../ui/action.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Loaded, Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

type Triage = Answer<typeof incidentRoutes.get>;

/** Shows the incident that the address names. */
export default function IncidentPage() {
  const { id = "" } = useParams<{ id: string }>();
  const query = useQuery(incidentQuery(id));
  const mayChange = useMayChange();
  if (isNotFound(query.error)) return <NotFound title="Incident not found" />;
  return (
    <Loaded query={query}>
      {({ incident, events, alerts }) => (
        <Page title={incident.title} actions={mayChange && <Lifecycle incident={incident} />}>
          <p className="facts">
            <State state={incidentStates[incident.state]} />
            <span>{severityWords[incident.severity]}</span>
            <span>
              opened <Ago at={incident.openedAt} />
            </span>
            {incident.mergedInto !== null && (
              <PageLink page="incident" parameters={{ id: incident.mergedInto }}>
                Its alerts went to another incident
              </PageLink>
            )}
          </p>
          <Hypothesis incident={incident} />
          <Panel title="Affected">
            <Table
              name="Affected"
              rows={alerts}
              keyOf={(alert) => alert.id}
              columns={[
                {
                  title: "Check",
                  cell: (alert) =>
                    alert.checkId === null ? (
                      "third party"
                    ) : (
                      <PageLink page="check" parameters={{ id: alert.checkId }}>
                        <Text>{alert.checkName ?? alert.checkId}</Text>
                      </PageLink>
                    ),
                },
                { title: "Alert", cell: (alert) => <State state={alertStates[alert.state]} /> },
                {
                  title: "Rule",
                  cell: (alert) => (
                    <PageLink page="alert" parameters={{ id: alert.id }}>
                      <Text>{alert.ruleName ?? "Alert"}</Text>
                    </PageLink>
                  ),
                },
                { title: "Began", cell: (alert) => <Ago at={alert.startedAt} /> },
              ]}
            />
          </Panel>
          <Timeline events={events} />
          {mayChange && <AddNote id={incident.id} />}
        </Page>
      )}
    </Loaded>
  );
}

function Hypothesis({ incident: { hypothesis, recurrenceOf } }: { incident: Triage["incident"] }) {
  const lists = [
    ["Speaks for it", hypothesis.ruledIn],
    ["Excluded", hypothesis.ruledOut],
    ["What its alerts share", hypothesis.correlationDimensionsMatched],
  ] as const;
  return (
    <Panel title="Hypothesis">
      <p className="lead">
        <Text>{hypothesis.summary}</Text>
      </p>
      <p>Confidence {Math.round(hypothesis.confidence * 100)} %</p>
      {lists.map(
        ([title, facts]) =>
          facts.length > 0 && (
            <div key={title}>
              <h3>{title}</h3>
              <ul aria-label={title}>
                {facts.map((fact) => (
                  <li key={fact}>
                    <Text>{fact}</Text>
                  </li>
                ))}
              </ul>
            </div>
          ),
      )}
      {recurrenceOf.length > 0 && (
        <p>
          It happened before:{" "}
          {recurrenceOf.map((id) => (
            <PageLink key={id} page="incident" parameters={{ id }}>
              {id}
            </PageLink>
          ))}
        </p>
      )}
    </Panel>
  );
}

function Lifecycle({ incident: { id, state } }: { incident: Triage["incident"] }) {
  const params = { id };
  return (
    <>
      {state === "open" && (
        <Action
          label="Acknowledge"
          act={() =>
            request<typeof incidentRoutes.acknowledge>("POST", "/api/incidents/:id/acknowledge", { params })
          }
        />
      )}
      {state !== "closed" && (
        <Action
          label="Close"
          isQuiet
          act={() => request<typeof incidentRoutes.close>("POST", "/api/incidents/:id/close", { params })}
        />
      )}
      {(state === "resolved" || state === "closed") && (
        <Action
          label="Reopen"
          isQuiet
          act={() => request<typeof incidentRoutes.reopen>("POST", "/api/incidents/:id/reopen", { params })}
        />
      )}
    </>
  );
}

function Timeline({ events }: { events: Triage["events"] }) {
  return (
    <Panel title="Timeline">
      <div role="feed" aria-label="Timeline">
        {events.map((event, index) => (
          <article key={event.id} aria-posinset={index + 1} aria-setsize={events.length}>
            <time dateTime={event.occurredAt}>{instantText(event.occurredAt)}</time>{" "}
            <strong>{event.eventType.replaceAll("_", " ")}</strong>
            {event.payload.note && (
              <p className="note">
                <Text>{event.payload.note.body}</Text>
              </p>
            )}
          </article>
        ))}
      </div>
    </Panel>
  );
}

function AddNote({ id }: { id: string }) {
  const client = useQueryClient();
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const add = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await request<typeof incidentRoutes.addNote>("POST", "/api/incidents/:id/notes", {
        params: { id },
        body: { body: text },
      });
      setText("");
      setProblem(undefined);
      await client.invalidateQueries();
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <form onSubmit={(event) => void add(event)}>
      <label>
        Add a note
        <textarea
          value={text}
          rows={3}
          maxLength={10_000}
          onChange={({ target: { value } }) => setText(value)}
        />
      </label>
      {problem !== undefined && <p role="alert">{problem}</p>}
      <button type="submit" disabled={text.trim() === ""}>
        Add note
      </button>
    </form>
  );
}
