/** The list of API specs. */
import { pagePath } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { specsQuery } from "../../api/queries/records.ts";
import { useMayChange } from "../../shell/session.tsx";
import { Ago } from "../../time/ago.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the API specs. */
export default function Specs() {
  const specs = useQuery(specsQuery);
  const mayChange = useMayChange();
  return (
    <Page
      title="API specs"
      actions={
        mayChange && (
          <Link href={pagePath("newSpec", {})} className="button">
            New API spec
          </Link>
        )
      }
    >
      <Loaded query={specs}>
        {({ specs: rows }) =>
          rows.length === 0 ? (
            <Empty>
              <p>
                Checks hold an API's answers against its OpenAPI document, and are generated from it. Add one:
              </p>
              <pre>npx svc specs upload openapi.json</pre>
            </Empty>
          ) : (
            <Table
              name="API specs"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: "Name",
                  cell: ({ id, name }) => (
                    <PageLink page="spec" parameters={{ id }}>
                      <Text>{name}</Text>
                    </PageLink>
                  ),
                },
                { title: "Title", cell: ({ title, version }) => <Text>{`${title} ${version}`}</Text> },
                { title: "OpenAPI", cell: ({ openapiVersion }) => openapiVersion },
                { title: "Operations", cell: ({ operationCount }) => operationCount },
                { title: "From", cell: ({ sourceUrl }) => <Text>{sourceUrl ?? "an upload"}</Text> },
                { title: "Changed", cell: ({ updatedAt, createdAt }) => <Ago at={updatedAt ?? createdAt} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  );
}
