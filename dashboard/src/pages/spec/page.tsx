/** An API spec with its operations. */
import { pagePath, type specRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "wouter";
import { specQuery } from "../../api/queries/records.ts";
import { request } from "../../api/request.ts";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { Ago } from "../../time/ago.tsx";
import { Action } from "../../ui/action.tsx";
import { DeleteButton } from "../../ui/delete-button.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the API spec that the address names. */
export default function SpecPage() {
  const { id = "" } = useParams<{ id: string }>();
  const params = { id };
  const mayChange = useMayChange();
  const query = useQuery(specQuery(id));
  if (isNotFound(query.error)) return <NotFound title="API spec not found" />;
  return (
    <Loaded query={query}>
      {({ spec, operations }) => (
        <Page
          title={spec.name}
          actions={
            mayChange && (
              <>
                {spec.sourceUrl !== null && (
                  <Action
                    label="Fetch again"
                    isQuiet
                    act={() =>
                      request<typeof specRoutes.update>("PUT", "/api/specs/:id", { params, body: {} })
                    }
                  />
                )}
                <DeleteButton
                  what="API spec"
                  name={spec.name}
                  goes="it can be deleted while no assertion uses it."
                  act={() => request<typeof specRoutes.delete>("DELETE", "/api/specs/:id", { params })}
                  nextPath={pagePath("specs", {})}
                />
              </>
            )
          }
        >
          <p className="facts">
            <Text>{`${spec.title} ${spec.version}`}</Text>
            <span>OpenAPI {spec.openapiVersion}</span>
            <span>
              changed <Ago at={spec.updatedAt ?? spec.createdAt} />
            </span>
            <code>{spec.id}</code>
          </p>
          <Panel title="Operations">
            {operations.length === 0 ? (
              <Empty>The document describes no operation.</Empty>
            ) : (
              <Table
                name="Operations"
                rows={operations}
                keyOf={({ method, path }) => `${method} ${path}`}
                columns={[
                  { title: "Method", cell: ({ method }) => <code>{method.toUpperCase()}</code> },
                  { title: "Path", cell: ({ path }) => <Text>{path}</Text> },
                  { title: "Summary", cell: ({ summary }) => <Text>{summary ?? ""}</Text> },
                  { title: "Answers", cell: ({ responses }) => <Text>{responses.join(", ")}</Text> },
                  { title: "Deprecated", cell: ({ deprecated }) => (deprecated ? "deprecated" : "") },
                ]}
              />
            )}
          </Panel>
          <Panel title="Generate checks">
            <p>A check for each operation; operations that have one already are left out.</p>
            {mayChange && (
              <Link href={pagePath("generateChecks", { id })} className="button">
                Generate checks
              </Link>
            )}
          </Panel>
        </Page>
      )}
    </Loaded>
  );
}
