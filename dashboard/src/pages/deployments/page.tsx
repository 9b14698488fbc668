/** The deployments that were reported, and what one of them changed. */
import { useQuery } from "@tanstack/react-query";
import { deploymentsQuery } from "../../api/queries/records.ts";
import { Ago } from "../../time/ago.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { plainText, Text } from "../../ui/text.tsx";
import { useFilter } from "../../ui/use-filter.ts";
import { BeforeAndAfter } from "./before-and-after.tsx";

const REPORT = `curl -X POST "$SVC_API_URL/api/events/deployments" -H "Authorization: Bearer $SVC_API_KEY" \\
  -H "Content-Type: application/json" -d '{"service": "shop", "version": "1.2.3"}'`;

/** Shows the deployments, newest first. */
export default function Deployments() {
  const deployments = useQuery(deploymentsQuery);
  const { value, set } = useFilter({ compared: "" });
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
            <>
              {rows
                .filter(({ id }) => id === value("compared"))
                .map((deployment) => (
                  <BeforeAndAfter key={deployment.id} deployment={deployment} />
                ))}
              <Table
                name="Deployments"
                rows={rows}
                keyOf={({ id }) => id}
                columns={[
                  { title: "Service", cell: ({ service }) => <Text>{service}</Text> },
                  { title: "Version", cell: ({ version }) => <Text>{version}</Text> },
                  { title: "Environment", cell: ({ environment }) => <Text>{environment ?? "none"}</Text> },
                  {
                    title: "By",
                    cell: ({ deployedBy, source }) => <Text>{deployedBy ?? source ?? ""}</Text>,
                  },
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
                  {
                    title: "Effect",
                    cell: ({ id, service, version }) => (
                      <button
                        type="button"
                        className="quiet-button"
                        aria-label={`Before and after ${plainText(service)} ${plainText(version)}`}
                        aria-pressed={id === value("compared")}
                        onClick={() => set("compared", id === value("compared") ? "" : id)}
                      >
                        Before and after
                      </button>
                    ),
                  },
                ]}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
