/** The page on which checks are generated from an API spec. */
import { generateFromSpecSchema, pagePath, type specRoutes } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useParams } from "wouter";
import { specQuery } from "../../api/queries/records.ts";
import { type Answer, request } from "../../api/request.ts";
import { Fields } from "../../forms/fields.tsx";
import { LocationsField } from "../../forms/locations-field.tsx";
import { shownFields } from "../../forms/record-fields.ts";
import { RecordForm } from "../../forms/record-form.tsx";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { countText } from "../../time/format.ts";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Loaded, Panel } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";
import "../../forms/forms.css";

type Generated = Answer<typeof specRoutes.generateChecks>;

const FIELDS = shownFields(generateFromSpecSchema);
const WIDGETS = { locations: LocationsField };
const START = {
  locations: [],
  frequencySeconds: 300,
  methods: ["GET", "HEAD"],
  validateHeaders: false,
  confirm: false,
};

/** Shows the form, with the operations that it would make checks of; afterwards what was made, and what was not. */
export default function GenerateChecks() {
  const { id = "" } = useParams<{ id: string }>();
  const client = useQueryClient();
  const mayChange = useMayChange();
  const query = useQuery(specQuery(id));
  const [generated, setGenerated] = useState<Generated>();
  if (isNotFound(query.error) || !mayChange) return <NotFound title="API spec not found" />;
  const save = async (draft: Record<string, unknown>) => {
    const answer = await request<typeof specRoutes.generateChecks>("POST", "/api/specs/:id/generate-checks", {
      params: { id },
      body: draft as never,
    });
    await client.invalidateQueries();
    setGenerated(answer);
    return pagePath("generateChecks", { id });
  };
  return (
    <Loaded query={query}>
      {({ spec, operations }) => (
        <Page title={`Generate checks from ${spec.name}`}>
          {generated ? (
            <MadeChecks generated={generated} />
          ) : (
            <RecordForm
              name="Generate checks"
              schema={generateFromSpecSchema}
              storeKey={`generate ${id}`}
              initial={START}
              cancelPath={pagePath("spec", { id })}
              widgets={WIDGETS}
              storable={(draft) => draft}
              save={save}
            >
              {({ draft }) => (
                <section className="panel fields">
                  <Fields fields={FIELDS} path={[]} />
                  <p role="status">
                    The document has{" "}
                    {countText(
                      operations.filter(({ method }) => isChosen(draft.methods, method)).length,
                      "operation",
                    )}{" "}
                    of these methods; those that have a check already are left out.
                  </p>
                </section>
              )}
            </RecordForm>
          )}
        </Page>
      )}
    </Loaded>
  );
}

function isChosen(methods: unknown, method: string): boolean {
  return Array.isArray(methods) && methods.includes(method.toUpperCase());
}

function MadeChecks({ generated: { created, skipped } }: { generated: Generated }) {
  return (
    <>
      <Panel title="Made">
        <p role="status">{countText(created.length, "check")}.</p>
        <ul className="plain" aria-label="Checks that were made">
          {created.map(({ id, name }) => (
            <li key={id}>
              <PageLink page="check" parameters={{ id }}>
                <Text>{name}</Text>
              </PageLink>
            </li>
          ))}
        </ul>
      </Panel>
      {skipped.length > 0 && (
        <Panel title="Left out">
          <ul className="plain" aria-label="Operations that were left out">
            {skipped.map(({ operation, reason }) => (
              <li key={operation}>
                <code>
                  <Text>{operation}</Text>
                </code>{" "}
                <span className="quiet">
                  <Text>{reason}</Text>
                </span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}
