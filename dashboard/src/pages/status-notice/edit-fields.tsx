/** The form of a notice's own fields: title, components, impact and times. What its updates said stays. */
import { pagePath, type statusPageRoutes, updateStatusNoticeSchema } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { editedNoticeQuery, editedStatusPageQuery } from "../../api/queries/status-pages.ts";
import { type Answer, request } from "../../api/request.ts";
import { fieldOf, type NamedField } from "../../forms/field-model.ts";
import { Fields } from "../../forms/fields.tsx";
import { RecordForm, type SaveOptions } from "../../forms/record-form.tsx";
import { say } from "../../ui/messages.tsx";
import { Loaded } from "../../ui/panel.tsx";
import { ComponentsContext, ComponentsField, InstantField } from "./fields.tsx";

type Notice = Answer<typeof statusPageRoutes.getNotice>["notice"];

const FORM = fieldOf(updateStatusNoticeSchema);
const WIDGETS = { components: ComponentsField, startsAt: InstantField, endsAt: InstantField };

/** Returns the fields that a notice of this kind has. */
function fieldsOf({ kind }: Notice): NamedField[] {
  return (FORM.kind === "group" ? FORM.fields : [])
    .filter(({ name }) => name !== "impact" || kind === "incident")
    .map((field) => ({ ...field, isRequired: field.name !== "endsAt" || kind === "maintenance" }));
}

/** Shows the form, with what is stored now. */
export function EditFields({ id, noticeId }: { id: string; noticeId: string }) {
  const params = { id, noticeId };
  const client = useQueryClient();
  const page = useQuery(editedStatusPageQuery(id));
  const query = useQuery(editedNoticeQuery(id, noticeId));
  const save = async (draft: object, { isOverwriting }: SaveOptions) => {
    await request<typeof statusPageRoutes.updateNotice>("PUT", "/api/status-pages/:id/notices/:noticeId", {
      params,
      body: bodyOf(draft) as never,
      ...(!isOverwriting && { ifMatch: query.data?.etag }),
    });
    await client.invalidateQueries();
    say({ text: "Saved. It is public where the page is." });
    return pagePath("statusPage", { id });
  };
  const reread = async () => {
    const { data } = await query.refetch();
    if (!data) throw new Error("The notice could not be read again; try it once more.");
    return draftOf(data.answer.notice);
  };
  return (
    <Loaded query={query}>
      {({ answer: { notice } }) => (
        <ComponentsContext value={namesOf(page.data?.answer.statusPage.components, notice)}>
          <RecordForm
            name="Notice"
            schema={updateStatusNoticeSchema}
            storeKey={`fields of ${noticeId}`}
            initial={draftOf(notice)}
            cancelPath={pagePath("statusPage", { id })}
            widgets={WIDGETS}
            storable={(draft) => draft}
            save={save}
            reread={reread}
          >
            {() => (
              <section className="panel fields">
                <h2>Change the notice</h2>
                <p role="note">Subscribers are not notified of it; an update notifies them.</p>
                <Fields fields={fieldsOf(notice)} path={[]} />
              </section>
            )}
          </RecordForm>
        </ComponentsContext>
      )}
    </Loaded>
  );
}

/** Returns the names to choose from: those of the page, and those of the notice whose components have gone. */
function namesOf(components: readonly { name: string }[] = [], notice: Notice): string[] {
  return [...new Set([...components.map(({ name }) => name), ...notice.components])];
}

function draftOf({ kind, title, components, impact, startsAt, endsAt }: Notice): Record<string, unknown> {
  return {
    title,
    ...(kind === "incident" && { impact }),
    components,
    startsAt,
    ...(endsAt !== null && { endsAt }),
  };
}

/** Returns the body of a draft: one without an end lasts. */
function bodyOf(draft: object): object {
  return { endsAt: null, ...draft };
}
