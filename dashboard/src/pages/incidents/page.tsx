/** The list of incidents. */
import { useQuery } from "@tanstack/react-query";
import { incidentsQuery } from "../../api/queries/incidents.ts";
import { incidentStates, severityWords } from "../../status/words.ts";
import { Ago } from "../../time/ago.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { useShowsAll } from "../../ui/shows-all.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

const OPEN = "open,acknowledged";
const ALL = "open,acknowledged,resolved,closed";

/** Shows the open incidents, or with `?all=yes` those that are over, too. */
export default function Incidents() {
  const { showsAll, checkbox } = useShowsAll("Show incidents that are over");
  const incidents = useQuery(incidentsQuery(showsAll ? ALL : OPEN));
  return (
    <Page title="Incidents">
      {checkbox}
      <Loaded query={incidents}>
        {({ incidents: rows }) =>
          rows.length === 0 ? (
            <Empty>{showsAll ? "There was no incident yet." : "No incident is open."}</Empty>
          ) : (
            <Table
              name="Incidents"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { title: "State", cell: ({ state }) => <State state={incidentStates[state]} /> },
                { title: "Severity", cell: ({ severity }) => severityWords[severity] },
                {
                  title: "Title",
                  cell: ({ id, title }) => (
                    <PageLink page="incident" parameters={{ id }}>
                      <Text>{title}</Text>
                    </PageLink>
                  ),
                },
                { title: "Opened", cell: ({ openedAt }) => <Ago at={openedAt} /> },
                {
                  title: "Alerts",
                  cell: ({ openMemberCount, memberCount }) => `${openMemberCount} open of ${memberCount}`,
                },
                { title: "Hypothesis", cell: ({ hypothesis }) => <Text>{hypothesis.summary}</Text> },
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  );
}
