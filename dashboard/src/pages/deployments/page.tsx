/** The deployments that were reported. */
import { useQuery } from "@tanstack/react-query";
import { deploymentsQuery } from "../../api/queries/records.ts";
import { Ago } from "../../time/ago.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

const REPORT = `curl -X POST "$SVC_API_URL/api/events/deployments" -H "Authorization: Bearer $SVC_API_KEY" \\
  -H "Content-Type: application/json" -d '{"service": "shop", "version": "1.2.3"}'`;

/** Shows the deployments, newest first. */
export default function Deployments() {
  const deployments = useQuery(deploymentsQuery);
  return (
    <Page title="Deployments">
      <Loaded query={deployments}>
        {({ deployments: rows }) =>
          rows.length === 0 ? (
            <Empty>
              <p>
                A deployment that is reported stands beside what broke after it. Report one at the end of
                each:
              </p>
              <pre>{REPORT}</pre>
            </Empty>
          ) : (
            <Table
              name="Deployments"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { title: "Service", cell: ({ service }) => <Text>{service}</Text> },
                { title: "Version", cell: ({ version }) => <Text>{version}</Text> },
                { title: "Environment", cell: ({ environment }) => <Text>{environment ?? "none"}</Text> },
                { title: "By", cell: ({ deployedBy, source }) => <Text>{deployedBy ?? source ?? ""}</Text> },
                {
                  title: "Commit",
                  cell: ({ commitSha, commitMessage }) => (
                    <>
                      {commitSha !== null && <code>{commitSha.slice(0, 12)}</code>}{" "}
                      <Text>{commitMessage?.split("\n", 1)[0] ?? ""}</Text>
                    </>
                  ),
                },
                { title: "Reported", cell: ({ createdAt }) => <Ago at={createdAt} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  );
}
