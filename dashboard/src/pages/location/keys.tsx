/** The runner keys of a private location. */
import type { locationRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { runnerKeysQuery } from "../../api/queries/locations.ts";
import { request } from "../../api/request.ts";
import { useMayChange } from "../../shell/session.tsx";
import { Ago } from "../../time/ago.tsx";
import { Action } from "../../ui/action.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the keys without their secrets. */
export function RunnerKeys({ locationId }: { locationId: string }) {
  const keys = useQuery(runnerKeysQuery(locationId));
  const mayChange = useMayChange();
  return (
    <Loaded query={keys}>
      {({ keys: rows }) =>
        rows.length === 0 ? (
          <Empty>There is no key: no runner can connect.</Empty>
        ) : (
          <>
            <p className="quiet">
              A location has at most two keys, so that one can be replaced while the other is in use. Revoking
              a key disconnects the runners that use it.
            </p>
            <Table
              name="Runner keys"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { title: "Name", cell: ({ name }) => <Text>{name}</Text> },
                { title: "Begins with", cell: ({ keyPrefix }) => <code>{keyPrefix}</code> },
                { title: "Created", cell: ({ createdAt }) => <Ago at={createdAt} /> },
                {
                  title: "Last used",
                  cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : <Ago at={lastUsedAt} />),
                },
                {
                  title: "Revoke",
                  cell: ({ id: keyId }) =>
                    mayChange && (
                      <Action
                        label="Revoke"
                        isQuiet
                        act={() =>
                          request<typeof locationRoutes.deleteKey>(
                            "DELETE",
                            "/api/locations/:id/keys/:keyId",
                            {
                              params: { id: locationId, keyId },
                            },
                          )
                        }
                      />
                    ),
                },
              ]}
            />
          </>
        )
      }
    </Loaded>
  );
}
