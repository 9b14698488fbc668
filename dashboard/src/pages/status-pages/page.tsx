/** The list of status pages. */
import { pagePath } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { statusPagesQuery } from "../../api/queries/status-pages.ts";
import { useMayChange } from "../../shell/session.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the status pages, with the addresses of those that are public. */
export default function StatusPages() {
  const query = useQuery(statusPagesQuery);
  const mayChange = useMayChange();
  return (
    <Page
      title="Status pages"
      actions={
        mayChange && (
          <Link href={pagePath("newStatusPage", {})} className="button">
            New status page
          </Link>
        )
      }
    >
      <Loaded query={query}>
        {({ statusPages: rows }) =>
          rows.length === 0 ? (
            <Empty>
              <p>
                A status page tells everybody how chosen checks stand, and nothing else of them. Make one:
              </p>
              <pre>npx svc status-pages create --help</pre>
            </Empty>
          ) : (
            <Table
              name="Status pages"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: "Title",
                  cell: ({ id, title }) => (
                    <PageLink page="statusPage" parameters={{ id }}>
                      <Text>{title}</Text>
                    </PageLink>
                  ),
                },
                {
                  title: "State",
                  cell: ({ isPublished }) => (
                    <State
                      state={
                        isPublished
                          ? { word: "Public", mark: "good" }
                          : { word: "Not published", mark: "unknown" }
                      }
                    />
                  ),
                },
                {
                  title: "Address",
                  cell: ({ isPublished, slug }) =>
                    isPublished ? (
                      <a href={`/status/${slug}`} target="_blank" rel="noopener">
                        /status/{slug}
                      </a>
                    ) : (
                      `/status/${slug}`
                    ),
                },
                { title: "Components", cell: ({ components }) => components.length },
                { title: "Checks", cell: ({ checkCount }) => checkCount },
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  );
}
