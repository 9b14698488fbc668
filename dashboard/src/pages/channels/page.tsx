/** The list of notification channels. */
import { useQuery } from "@tanstack/react-query";
import { channelsQuery } from "../../api/queries/channels.ts";
import { useMayChange } from "../../shell/session.tsx";
import { TestChannel } from "../../shell/test-channel.tsx";
import { Ago } from "../../time/ago.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
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
                {
                  title: "Name",
                  cell: ({ id, name }) => (
                    <PageLink page="channel" parameters={{ id }}>
                      <Text>{name}</Text>
                    </PageLink>
                  ),
                },
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
