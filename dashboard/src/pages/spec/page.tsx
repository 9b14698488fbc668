/** An API spec with its operations. */
import { useQuery } from "@tanstack/react-query";
import { useParams } from "wouter";
import { specQuery } from "../../api/queries/records.ts";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { Ago } from "../../time/ago.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the API spec that the address names. */
export default function SpecPage() {
  const { id = "" } = useParams<{ id: string }>();
  const query = useQuery(specQuery(id));
  if (isNotFound(query.error)) return <NotFound title="API spec not found" />;
  return (
    <Loaded query={query}>
      {({ spec, operations }) => (
        <Page title={spec.name}>
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
            <p>A check for each operation; operations that have one already are left out:</p>
            <pre>{`npx svc api /api/specs/${spec.id}/generate-checks -X POST -d '{"locations": ["loc_us_east"]}'`}</pre>
          </Panel>
        </Page>
      )}
    </Loaded>
  );
}
