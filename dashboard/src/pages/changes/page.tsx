/** The list of changes of the configuration. */
import { useQuery } from "@tanstack/react-query";
import { changesQuery } from "../../api/queries/changes.ts";
import { Ago } from "../../time/ago.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the newest changes. */
export default function Changes() {
  const changes = useQuery(changesQuery);
  return (
    <Page title="Changes">
      <Loaded query={changes}>
        {({ changes: rows }) =>
          rows.length === 0 ? (
            <Empty>Nothing was changed yet.</Empty>
          ) : (
            <Table
              name="Changes"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { title: "When", cell: ({ createdAt }) => <Ago at={createdAt} /> },
                {
                  title: "Who",
                  cell: ({ actorName, actor }) => <Text>{actorName ?? actor ?? "svc itself"}</Text>,
                },
                { title: "From", cell: ({ source }) => source },
                { title: "What", cell: ({ action, type }) => `${type.replaceAll("_", " ")} ${action}` },
                { title: "Name", cell: ({ name, resourceId }) => <Text>{name ?? resourceId}</Text> },
                {
                  title: "Fields",
                  cell: ({ changedFields }) => (
                    <Text>
                      {changedFields
                        .map(({ field, redacted }) => (redacted ? `${field} (masked)` : field))
                        .join(", ")}
                    </Text>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  );
}
