/** A notification channel: what it is, a test, and every attempt to deliver to it. */
import { type channelRoutes, pagePath } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "wouter";
import { channelQuery, deliveriesQuery } from "../../api/queries/channels.ts";
import { type Answer, request } from "../../api/request.ts";
import { CodeTabs } from "../../shell/code-tabs.tsx";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { attemptStates, deliveryStates } from "../../status/words.ts";
import { Ago } from "../../time/ago.tsx";
import { durationText, instantText } from "../../time/format.ts";
import { Action } from "../../ui/action.tsx";
import { DeleteButton } from "../../ui/delete-button.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Text, Verbatim } from "../../ui/text.tsx";
import { ChannelTest } from "./channel-test.tsx";
import { SubjectLink } from "./subject-link.tsx";

type Delivery = Answer<typeof channelRoutes.listDeliveries>["deliveries"][number];

function Actions({ id, name }: { id: string; name: string }) {
  const params = { id };
  return (
    <>
      <ChannelTest id={id} />
      <Link href={pagePath("editChannel", params)} className="button quiet-button">
        Edit
      </Link>
      <DeleteButton
        what="channel"
        name={name}
        goes="its deliveries go with it. A channel that something names can't be deleted."
        act={() =>
          request<typeof channelRoutes.delete>("DELETE", "/api/notification-channels/:id", { params })
        }
        nextPath={pagePath("channels", {})}
      />
    </>
  );
}

/** Shows the channel that the address names. */
export default function ChannelPage() {
  const { id = "" } = useParams<{ id: string }>();
  const query = useQuery(channelQuery(id));
  const mayChange = useMayChange();
  if (isNotFound(query.error)) return <NotFound title="Channel not found" />;
  return (
    <Loaded query={query}>
      {({ channel }) => (
        <Page title={channel.name} actions={mayChange && <Actions id={channel.id} name={channel.name} />}>
          <p className="facts">
            <span>{channel.type}</span>
            <span>
              created <Ago at={channel.createdAt} />
            </span>
            {channel.incidentSubscribed !== undefined && (
              <span>
                {channel.incidentSubscribed ? "Gets incidents" : "Gets single alerts, not incidents"}
              </span>
            )}
            <code>{channel.id}</code>
          </p>
          <CodeTabs name="Channel" title="Overview" kind="channel" id={channel.id}>
            <Deliveries id={channel.id} />
            <Panel title="Configuration">
              <Verbatim label="Configuration, credentials hidden">
                {JSON.stringify(channel.config, undefined, 2)}
              </Verbatim>
            </Panel>
          </CodeTabs>
        </Page>
      )}
    </Loaded>
  );
}

function Deliveries({ id }: { id: string }) {
  const deliveries = useQuery(deliveriesQuery(id));
  const mayChange = useMayChange();
  return (
    <Panel title="Deliveries">
      <Loaded query={deliveries}>
        {({ deliveries: rows }) =>
          rows.length === 0 ? (
            <Empty>Nothing was sent to this channel yet. A test shows whether it can be reached.</Empty>
          ) : (
            <Table
              name="Deliveries"
              rows={rows}
              keyOf={(delivery) => delivery.id}
              columns={[
                { title: "Outcome", cell: ({ status }) => <State state={attemptStates[status]} /> },
                { title: "HTTP status", cell: ({ httpStatus }) => httpStatus ?? "none" },
                { title: "Event", cell: (delivery) => <Event delivery={delivery} /> },
                { title: "Attempt", cell: ({ attempt }) => attempt },
                { title: "When", cell: ({ createdAt }) => <Ago at={createdAt} /> },
                { title: "Took", cell: ({ durationMs }) => durationText(durationMs) },
                { title: "Error", cell: ({ error }) => (error === null ? "" : <Text>{error}</Text>) },
                { title: "Now", cell: (delivery) => <Outlook delivery={delivery} /> },
                {
                  title: "Repeat",
                  cell: (delivery) => mayChange && <Redeliver id={id} deliveryId={delivery.id} />,
                },
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

function Event({ delivery: { eventType, isTest, subjectId } }: { delivery: Delivery }) {
  return (
    <>
      {isTest ? `test: ${eventType}` : eventType.replaceAll("_", " ")}{" "}
      {!isTest && subjectId !== null && <SubjectLink id={subjectId} />}
    </>
  );
}

function Outlook({ delivery: { notificationStatus, nextAttemptAt } }: { delivery: Delivery }) {
  return (
    <>
      <State state={deliveryStates[notificationStatus]} />
      {nextAttemptAt !== null && <span className="quiet"> again at {instantText(nextAttemptAt)}</span>}
    </>
  );
}

function Redeliver({ id, deliveryId }: { id: string; deliveryId: string }) {
  return (
    <Action
      label="Redeliver"
      isQuiet
      act={() =>
        request<typeof channelRoutes.redeliver>(
          "POST",
          "/api/notification-channels/:id/deliveries/:deliveryId/redeliver",
          { params: { id, deliveryId } },
        )
      }
    />
  );
}
