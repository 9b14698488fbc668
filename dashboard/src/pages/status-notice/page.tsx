/** The page of a notice: its updates, the form of the next one, the form of its own fields, and its end. */
import { addNoticeUpdateSchema, NOTICE_STATUSES, pagePath, type statusPageRoutes } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "wouter";
import { noticeQuery } from "../../api/queries/status-pages.ts";
import { type Answer, request } from "../../api/request.ts";
import { fieldOf, type NamedField } from "../../forms/field-model.ts";
import { Fields } from "../../forms/fields.tsx";
import { RecordForm } from "../../forms/record-form.tsx";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { instantText } from "../../time/format.ts";
import { DeleteButton } from "../../ui/delete-button.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { Loaded, Panel } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";
import { EditFields } from "./edit-fields.tsx";
import "../../forms/forms.css";

type Notice = Answer<typeof statusPageRoutes.getNotice>["notice"];

const FORM = fieldOf(addNoticeUpdateSchema);

/** Returns the fields of an update of this kind of notice. */
function fieldsOf({ kind }: Notice): NamedField[] {
  return (FORM.kind === "group" ? FORM.fields : []).map((field) => ({
    ...field,
    ...(field.name === "status" && { values: NOTICE_STATUSES[kind] }),
    ...(field.name === "text" && { isLong: true }),
  }));
}

/** Shows the notice that the address names. */
export default function NoticePage() {
  const { id = "", noticeId = "" } = useParams<{ id: string; noticeId: string }>();
  const params = { id, noticeId };
  const client = useQueryClient();
  const mayChange = useMayChange();
  const query = useQuery(noticeQuery(id, noticeId));
  if (isNotFound(query.error)) return <NotFound title="Notice not found" />;
  const save = async (draft: object) => {
    await request<typeof statusPageRoutes.addUpdate>(
      "POST",
      "/api/status-pages/:id/notices/:noticeId/updates",
      { params, body: draft as never },
    );
    await client.invalidateQueries();
    say({ text: "Saved. It is public where the page is." });
    return pagePath("statusPage", { id });
  };
  return (
    <Loaded query={query}>
      {({ notice }) => (
        <Page
          title={notice.title}
          actions={
            mayChange && (
              <DeleteButton
                what="notice"
                name={notice.title}
                goes="nobody can read it any more; to end it, add an update instead."
                act={() =>
                  request<typeof statusPageRoutes.deleteNotice>(
                    "DELETE",
                    "/api/status-pages/:id/notices/:noticeId",
                    { params },
                  )
                }
                nextPath={pagePath("statusPage", { id })}
              />
            )
          }
        >
          <Facts notice={notice} />
          {mayChange && (
            <RecordForm
              name="Update"
              schema={addNoticeUpdateSchema}
              storeKey={`update of ${noticeId}`}
              initial={{ status: notice.updates[0]?.status ?? NOTICE_STATUSES[notice.kind][0], text: "" }}
              cancelPath={pagePath("statusPage", { id })}
              storable={(draft) => draft}
              save={save}
            >
              {() => (
                <section className="panel fields">
                  <h2>Add an update</h2>
                  <Fields fields={fieldsOf(notice)} path={[]} />
                </section>
              )}
            </RecordForm>
          )}
          {mayChange && <EditFields id={id} noticeId={noticeId} />}
        </Page>
      )}
    </Loaded>
  );
}

function Facts({ notice }: { notice: Notice }) {
  const { kind, impact, components, startsAt, endsAt, updates } = notice;
  return (
    <Panel title={kind === "incident" ? "Incident" : "Maintenance"}>
      <p>
        From <time dateTime={startsAt}>{instantText(startsAt)}</time>
        {endsAt !== null && (
          <>
            {" "}
            to <time dateTime={endsAt}>{instantText(endsAt)}</time>
          </>
        )}
        {impact !== null && `, impact: ${impact}`}
      </p>
      {components.length > 0 && (
        <p>
          Concerns <Text>{components.join(", ")}</Text>
        </p>
      )}
      <ol className="plain" aria-label="Updates">
        {updates.map(({ status, text, at }) => (
          <li key={at + status}>
            <strong>{status.replaceAll("_", " ")}</strong> <time dateTime={at}>{instantText(at)}</time>
            <p>
              <Text>{text}</Text>
            </p>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
