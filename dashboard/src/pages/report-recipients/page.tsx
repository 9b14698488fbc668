/** The page of the recipients of reports: the email channels that are sent the report of each month. */
import { pagePath, type reportRoutes, setReportSubscriptionSchema } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { channelsQuery } from "../../api/queries/channels.ts";
import { reportSubscriptionQuery } from "../../api/queries/reports.ts";
import { type Answer, request } from "../../api/request.ts";
import { fieldOf } from "../../forms/field-model.ts";
import { Fields } from "../../forms/fields.tsx";
import { EmailChannelsField } from "../../forms/pickers.tsx";
import { RecordForm, type SaveOptions } from "../../forms/record-form.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Loaded, Panel } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";
import "../../forms/forms.css";

const FORM = fieldOf(setReportSubscriptionSchema);
const WIDGETS = { channelIds: EmailChannelsField };

type Subscription = Answer<typeof reportRoutes.getSubscription>["reportSubscription"];

/** Returns what the form edits. */
function draftOf({ channelIds }: Subscription): Record<string, unknown> {
  return { channelIds };
}

/** Shows who is sent the reports, to be changed by whoever may. */
export default function ReportRecipients() {
  const client = useQueryClient();
  const mayChange = useMayChange();
  const query = useQuery(reportSubscriptionQuery);
  const save = async (draft: object, { isOverwriting }: SaveOptions) => {
    await request<typeof reportRoutes.setSubscription>("PUT", "/api/report-subscription", {
      body: draft as never,
      ...(!isOverwriting && { ifMatch: query.data?.etag }),
    });
    await client.invalidateQueries();
    say({ text: "Saved." });
    return pagePath("reports", {});
  };
  const reread = async () => {
    const { data } = await query.refetch();
    if (!data) throw new Error("The recipients could not be read again; try it once more.");
    return draftOf(data.answer.reportSubscription);
  };
  return (
    <Page title="Recipients of reports">
      <Loaded query={query}>
        {({ answer: { reportSubscription } }) =>
          mayChange ? (
            <RecordForm
              name="Recipients of reports"
              schema={setReportSubscriptionSchema}
              storeKey="report subscription"
              initial={draftOf(reportSubscription)}
              cancelPath={pagePath("reports", {})}
              widgets={WIDGETS}
              storable={(draft) => draft}
              save={save}
              reread={reread}
            >
              {() => (
                <section className="panel fields">
                  <p>
                    The report of a month is sent to each of these channels once its last day was counted,
                    some minutes after 03:00 UTC on the first of the next month. Whoever is named after that
                    is sent the next one.
                  </p>
                  {FORM.kind === "group" && <Fields fields={FORM.fields} path={[]} />}
                </section>
              )}
            </RecordForm>
          ) : (
            <Shown channelIds={reportSubscription.channelIds} />
          )
        }
      </Loaded>
    </Page>
  );
}

/** Shows the recipients to a reader who can't change them. */
function Shown({ channelIds }: Pick<Subscription, "channelIds">) {
  const channels = useQuery(channelsQuery).data?.channels ?? [];
  const nameOf = (id: string) => channels.find((channel) => channel.id === id)?.name ?? id;
  return (
    <Panel title="Channels">
      {channelIds.length === 0 && <p>Nobody is sent the reports.</p>}
      <ul className="plain">
        {channelIds.map((id) => (
          <li key={id}>
            <PageLink page="channel" parameters={{ id }}>
              <Text>{nameOf(id)}</Text>
            </PageLink>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
