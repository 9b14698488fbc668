/** The list of alert rules and alert policies: which checks each is about, and when it fires. */
import { pagePath } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { policiesQuery, rulesQuery } from "../../api/queries/rules.ts";
import { summaryQuery } from "../../api/queries/summary.ts";
import { useMayChange } from "../../shell/session.tsx";
import { rowsOf } from "../../status/check-rows.ts";
import { conditionText } from "../../status/condition-text.ts";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the alert policies. */
function Policies() {
  const policies = useQuery(policiesQuery);
  return (
    <Panel title="Alert policies">
      <Loaded query={policies}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>
              <p>An alert policy is one rule for all checks that have certain labels, now and later.</p>
              <pre>npx svc alerts policies create --help</pre>
            </Empty>
          ) : (
            <Table
              name="Alert policies"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: "Name",
                  cell: ({ id, name }) => (
                    <PageLink page="policy" parameters={{ id }}>
                      <Text>{name}</Text>
                    </PageLink>
                  ),
                },
                { title: "Labels", cell: ({ labels }) => <Text>{labels.join(", ")}</Text> },
                {
                  title: "Fires when",
                  cell: ({ conditions }) => <Text>{conditions.map(conditionText).join(", and ")}</Text>,
                },
                { title: "Checks", cell: ({ checkCount }) => checkCount },
                { title: "Channels", cell: ({ channelIds }) => channelIds.length },
                { title: "State", cell: ({ enabled }) => (enabled ? "On" : "Off") },
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

/** Shows the rules that people wrote, and the alert policies. */
export default function Rules() {
  const rules = useQuery(rulesQuery);
  const names = new Map(rowsOf(useQuery(summaryQuery).data ?? []).map(({ id, name }) => [id, name]));
  const mayChange = useMayChange();
  return (
    <Page
      title="Alert rules"
      actions={
        mayChange && (
          <>
            <Link href={pagePath("newRule", {})} className="button">
              New alert rule
            </Link>{" "}
            <Link href={pagePath("newPolicy", {})} className="button">
              New alert policy
            </Link>
          </>
        )
      }
    >
      <Loaded query={rules}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>
              <p>An alert rule says when a check's results are worth a message, and who gets it. Make one:</p>
              <pre>npx svc alerts rules create --help</pre>
            </Empty>
          ) : (
            <Table
              name="Alert rules"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: "Name",
                  cell: ({ id, name }) => (
                    <PageLink page="rule" parameters={{ id }}>
                      <Text>{name ?? "Without a name"}</Text>
                    </PageLink>
                  ),
                },
                {
                  title: "Check",
                  cell: ({ checkId }) => (
                    <PageLink page="check" parameters={{ id: checkId }}>
                      <Text>{names.get(checkId) ?? checkId}</Text>
                    </PageLink>
                  ),
                },
                {
                  title: "Fires when",
                  cell: ({ conditions }) => <Text>{conditions.map(conditionText).join(", and ")}</Text>,
                },
                { title: "Confirmed first", cell: ({ confirm }) => (confirm ? "yes" : "no") },
                { title: "Channels", cell: ({ channelIds }) => channelIds.length },
                { title: "State", cell: ({ enabled }) => (enabled ? "On" : "Off") },
              ]}
            />
          )
        }
      </Loaded>
      <Policies />
      <p className="quiet">
        Rules that watch an error budget belong to their SLO: see{" "}
        <PageLink page="slos" parameters={{}}>
          SLOs
        </PageLink>
        .
      </p>
    </Page>
  );
}
