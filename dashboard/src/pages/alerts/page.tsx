/** The list of alerts. */
import { useQuery } from "@tanstack/react-query";
import { alertsQuery } from "../../api/queries/alerts.ts";
import { alertStates, severityWords } from "../../status/words.ts";
import { Ago } from "../../time/ago.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { useShowsAll } from "../../ui/shows-all.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

const OPEN = "active,acknowledged";

/** Shows the alerts that last, or with `?all=yes` those that are over, too. */
export default function Alerts() {
  const { showsAll, checkbox } = useShowsAll("Show alerts that are over");
  const alerts = useQuery(alertsQuery(showsAll ? {} : { state: OPEN }));
  return (
    <Page title="Alerts">
      {checkbox}
      <Loaded query={alerts}>
        {({ instances }) =>
          instances.length === 0 ? (
            <Empty>{showsAll ? "No alert has fired yet." : "No alert is active."}</Empty>
          ) : (
            <Table
              name="Alerts"
              rows={instances}
              keyOf={({ id }) => id}
              columns={[
                { title: "State", cell: ({ state }) => <State state={alertStates[state]} /> },
                { title: "Severity", cell: ({ severity }) => severityWords[severity] },
                {
                  title: "Rule",
                  cell: ({ id, ruleName }) => (
                    <PageLink page="alert" parameters={{ id }}>
                      <Text>{ruleName ?? "Alert"}</Text>
                    </PageLink>
                  ),
                },
                { title: "Check", cell: ({ checkName }) => <Text>{checkName ?? "third party"}</Text> },
                { title: "Began", cell: ({ startedAt }) => <Ago at={startedAt} /> },
                { title: "Muted", cell: ({ muted }) => (muted ? "Muted" : "") },
                { title: "Messages", cell: ({ notificationCount }) => notificationCount },
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  );
}
