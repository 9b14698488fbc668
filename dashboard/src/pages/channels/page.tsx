/** The list of notification channels. */

import { pagePath } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { channelStandingsQuery, channelsQuery, type Standing } from "../../api/queries/channels.ts";
import { useMayChange } from "../../shell/session.tsx";
import { TestChannel } from "../../shell/test-channel.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";
import { LastDelivery, usedByText } from "./standing.tsx";

/** Shows the channels. */
export default function Channels() {
  const channels = useQuery(channelsQuery);
  const standings = useQuery(channelStandingsQuery).data ?? new Map<string, Standing>();
  const mayChange = useMayChange();
  return (
    <Page
      title="Channels"
      actions={
        mayChange && (
          <Link href={pagePath("newChannel", {})} className="button">
            New channel
          </Link>
        )
      }
    >
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
                {
                  title: "Used by",
                  cell: ({ id }) => ofStanding(standings.get(id), usedByText),
                },
                {
                  title: "Last delivery",
                  cell: ({ id }) =>
                    ofStanding(standings.get(id), (standing) => <LastDelivery {...standing} />),
                },
                { title: "Test", cell: ({ id }) => mayChange && <TestChannel id={id} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

/** Shows a part of how a channel stands once that is known. */
function ofStanding(standing: Standing | undefined, show: (known: Standing) => ReactNode): ReactNode {
  return standing ? show(standing) : <span className="quiet">…</span>;
}
