/** The list of incidents. Its filter stands in the address. */
import type { incidentRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { SHOWN_AT_ONCE } from "../../api/all-parts.ts";
import { incidentsQuery } from "../../api/queries/incidents.ts";
import type { Answer } from "../../api/request.ts";
import { incidentStates, severityWords } from "../../status/words.ts";
import { Since } from "../../time/ago.tsx";
import { durationText, instantText } from "../../time/format.ts";
import { Choice } from "../../ui/choice.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { ShowMore } from "../../ui/show-more.tsx";
import { State } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";
import { useFilter } from "../../ui/use-filter.ts";

type Row = Answer<typeof incidentRoutes.list>["incidents"][number];

const OPEN = "open,acknowledged";
const STATES = [
  [OPEN, "Open and acknowledged"],
  ["open", "Open"],
  ["acknowledged", "Acknowledged"],
  ["resolved,closed", "Over"],
  ["open,acknowledged,resolved,closed", "All"],
] as const;

const COLUMNS: readonly Column<Row>[] = [
  { title: "State", cell: ({ state }) => <State state={incidentStates[state]} /> },
  { title: "Severity", cell: ({ severity }) => severityWords[severity] },
  {
    title: "Title",
    cell: ({ id, title, recurrenceOf }) => (
      <>
        <PageLink page="incident" parameters={{ id }}>
          <Text>{title}</Text>
        </PageLink>
        {recurrenceOf.length > 0 && (
          <div className="quiet">
            Happened {recurrenceOf.length === 1 ? "once" : `${recurrenceOf.length} times`} before
          </div>
        )}
      </>
    ),
  },
  {
    title: "Opened",
    cell: ({ openedAt }) => (
      <time className="nowrap" dateTime={openedAt}>
        {instantText(openedAt)}
      </time>
    ),
  },
  { title: "Lasts", cell: (row) => <span className="nowrap">{lastsFor(row)}</span> },
  {
    title: "Alerts",
    cell: ({ openMemberCount, memberCount }) => (
      <span className="nowrap">
        {openMemberCount} open of {memberCount}
      </span>
    ),
  },
  { title: "Hypothesis", cell: ({ hypothesis }) => <Text>{hypothesis.summary}</Text> },
];

/** Shows the incidents that the address asks for: by default those that last. */
export default function Incidents() {
  const { value, set } = useFilter({ state: OPEN });
  const state = value("state");
  const [parts, setParts] = useState(1);
  const incidents = useQuery(incidentsQuery(state, parts));
  return (
    <Page title="Incidents">
      <div className="row">
        <Choice label="State" value={state} options={STATES} onChoose={(chosen) => set("state", chosen)} />
      </div>
      <Loaded query={incidents}>
        {({ incidents: rows, hasMore }) =>
          rows.length === 0 ? (
            <Empty>
              {state === OPEN
                ? "No incident is open. Alerts that share a host, a label or a location stand here as one."
                : "No incident is like that."}
            </Empty>
          ) : (
            <>
              <Table name="Incidents" rows={rows} keyOf={({ id }) => id} columns={COLUMNS} />
              <ShowMore
                shown={rows.length}
                by={SHOWN_AT_ONCE}
                hasMore={hasMore}
                onMore={() => setParts(parts + 1)}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function lastsFor({ state, openedAt, resolvedAt, closedAt }: Row) {
  const end = state === "resolved" || state === "closed" ? (resolvedAt ?? closedAt) : null;
  return end === null ? <Since at={openedAt} /> : durationText(Date.parse(end) - Date.parse(openedAt));
}
