/** The page on which a notice of a status page is written. */
import { createStatusNoticeSchema, pagePath, type statusPageRoutes } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "wouter";
import { editedStatusPageQuery } from "../../api/queries/status-pages.ts";
import { request } from "../../api/request.ts";
import { fieldOf, type NamedField } from "../../forms/field-model.ts";
import { Fields } from "../../forms/fields.tsx";
import { changed } from "../../forms/form.tsx";
import type { Path } from "../../forms/paths.ts";
import { RecordForm } from "../../forms/record-form.tsx";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { say } from "../../ui/messages.tsx";
import { Page } from "../../ui/page.tsx";
import { Loaded } from "../../ui/panel.tsx";
import { ComponentsContext, ComponentsField, InstantField } from "./fields.tsx";
import "../../forms/forms.css";

const FORM = fieldOf(createStatusNoticeSchema);
const WIDGETS = { components: ComponentsField, startsAt: InstantField, endsAt: InstantField };
const FIELDS = FORM.kind === "group" ? FORM.fields : [];

type Draft = Record<string, unknown>;
const INITIAL: Draft = { kind: "incident", title: "", impact: "degraded", components: [], text: "" };

/** Returns the fields that a notice of the kind has. */
function fieldsOf(kind: unknown): NamedField[] {
  return FIELDS.filter(({ name }) => name !== "status" && (name !== "impact" || kind === "incident")).map(
    (field) => ({
      ...field,
      isRequired: field.name !== "endsAt" && (field.name !== "startsAt" || kind === "maintenance"),
      ...(field.name === "text" && { isLong: true }),
    }),
  );
}

/** Returns the draft after a change: maintenance has no impact. */
function withKind(draft: Draft, path: Path, value: unknown): Draft {
  const { impact, ...next } = changed(draft, path, value) as Draft;
  return next.kind === "maintenance" ? next : { ...next, impact: impact ?? "degraded" };
}

/** Shows the form. */
export default function NewNotice() {
  const { id = "" } = useParams<{ id: string }>();
  const client = useQueryClient();
  const mayChange = useMayChange();
  const query = useQuery(editedStatusPageQuery(id));
  if (isNotFound(query.error)) return <NotFound title="Status page not found" />;
  const save = async (draft: object) => {
    await request<typeof statusPageRoutes.createNotice>("POST", "/api/status-pages/:id/notices", {
      params: { id },
      body: draft as never,
    });
    await client.invalidateQueries();
    say({ text: "Saved. It is public where the page is." });
    return pagePath("statusPage", { id });
  };
  return (
    <Page title="New notice">
      <Loaded query={query}>
        {({ answer: { statusPage } }) =>
          mayChange ? (
            <ComponentsContext value={statusPage.components.map(({ name }) => name)}>
              <RecordForm
                name="Notice"
                schema={createStatusNoticeSchema}
                storeKey={`new notice of ${id}`}
                initial={INITIAL}
                cancelPath={pagePath("statusPage", { id })}
                widgets={WIDGETS}
                storable={(draft) => draft}
                save={save}
                afterChange={withKind}
              >
                {({ draft }) => (
                  <section className="panel fields" key={String(draft.kind)}>
                    <p role="note">All of it is public, on {statusPage.title}.</p>
                    <Fields fields={fieldsOf(draft.kind)} path={[]} />
                  </section>
                )}
              </RecordForm>
            </ComponentsContext>
          ) : (
            <p>You may see notices, but not write any. Ask an owner of the team for the role of a member.</p>
          )
        }
      </Loaded>
    </Page>
  );
}
