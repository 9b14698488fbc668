/** Who subscribes to a status page. Addresses are personal data: only those who may change the page see them. */
import type { statusPageRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { subscribersQuery } from "../../api/queries/status-pages.ts";
import { request } from "../../api/request.ts";
import { Ago } from "../../time/ago.tsx";
import { Action } from "../../ui/action.tsx";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the newest subscribers of a page, each with a button that removes it. @param props.count confirmed subscribers */
export function Subscribers({ id, count }: { id: string; count: number }) {
  const query = useQuery(subscribersQuery(id));
  return (
    <Panel title={`Subscribers: ${count}`}>
      <Loaded query={query}>
        {({ subscribers: rows, nextCursor }) =>
          rows.length === 0 ? (
            <Empty>
              <p>Readers subscribe on the page, once its subscriptions are on. There are none.</p>
            </Empty>
          ) : (
            <>
              <Table
                name="Subscribers"
                rows={rows}
                keyOf={(subscriber) => subscriber.id}
                columns={[
                  {
                    title: "Address",
                    cell: ({ address, fingerprint }) => (
                      <Text>{fingerprint ? `${address} (${fingerprint})` : address}</Text>
                    ),
                  },
                  { title: "By", cell: ({ type }) => (type === "email" ? "mail" : "webhook") },
                  {
                    title: "Confirmed",
                    cell: ({ confirmedAt }) => (confirmedAt === null ? "not yet" : <Ago at={confirmedAt} />),
                  },
                  {
                    title: "Remove",
                    cell: ({ id: subscriberId }) => (
                      <Action
                        label="Remove"
                        isQuiet
                        isPassing
                        act={() =>
                          request<typeof statusPageRoutes.deleteSubscriber>(
                            "DELETE",
                            "/api/status-pages/:id/subscribers/:subscriberId",
                            { params: { id, subscriberId } },
                          )
                        }
                      />
                    ),
                  },
                ]}
              />
              {nextCursor !== null && nextCursor !== undefined && (
                <p className="hint">The newest 100 are shown; svc status-pages subscribers list has all.</p>
              )}
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}
