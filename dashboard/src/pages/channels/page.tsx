/** The list of notification channels. */
import type { channelRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { channelsQuery } from "../../api/queries/channels.ts";
import { request } from "../../api/request.ts";
import { useMayChange } from "../../shell/session.tsx";
import { Ago } from "../../time/ago.tsx";
import { Action } from "../../ui/action.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the channels. */
export default function Channels() {
  const channels = useQuery(channelsQuery);
  const mayChange = useMayChange();
  return (
    <Page title="Channels">
      <Loaded query={channels}>
        {({ channels: rows }) =>
          rows.length === 0 ? (
            <Empty>
              <p>A channel tells people of alerts and incidents. Make one:</p>
              <pre>npx svc channels create --help</pre>
            </Empty>
          ) : (
            <Table
              name="Channels"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { title: "Name", cell: ({ name }) => <Text>{name}</Text> },
                { title: "Type", cell: ({ type }) => type },
                { title: "Created", cell: ({ createdAt }) => <Ago at={createdAt} /> },
                { title: "Test", cell: ({ id }) => mayChange && <TestChannel id={id} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

function TestChannel({ id }: { id: string }) {
  const [outcome, setOutcome] = useState<string>();
  const test = async () => {
    setOutcome(undefined);
    const { success, delivery } = await request<typeof channelRoutes.test>(
      "POST",
      "/api/notification-channels/:id/test",
      { params: { id }, body: {} },
    );
    setOutcome(success ? "Delivered" : `Failed: ${delivery.error ?? "no reason given"}`);
  };
  return (
    <>
      <Action label="Send a test" isQuiet act={test} />
      {outcome !== undefined && (
        <span role="status">
          <Text>{outcome}</Text>
        </span>
      )}
    </>
  );
}
