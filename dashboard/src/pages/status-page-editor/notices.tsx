/** The notices of a status page, with the way to tell of another one. */
import { pagePath } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { noticesQuery } from "../../api/queries/status-pages.ts";
import { instantText } from "../../time/format.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the newest notices of a page. */
export function Notices({ id, mayChange }: { id: string; mayChange: boolean }) {
  const query = useQuery(noticesQuery(id));
  return (
    <Panel title="Notices">
      {mayChange && (
        <p>
          <Link href={pagePath("newNotice", { id })} className="button">
            New notice
          </Link>
        </p>
      )}
      <Loaded query={query}>
        {({ notices: rows }) =>
          rows.length === 0 ? (
            <Empty>
              <p>A notice tells of an incident or of maintenance, in your words. There are none.</p>
            </Empty>
          ) : (
            <Table
              name="Notices"
              rows={rows}
              keyOf={(notice) => notice.id}
              columns={[
                {
                  title: "Title",
                  cell: (notice) => (
                    <PageLink page="notice" parameters={{ id, noticeId: notice.id }}>
                      <Text>{notice.title}</Text>
                    </PageLink>
                  ),
                },
                { title: "Kind", cell: ({ kind }) => kind },
                {
                  title: "State",
                  cell: ({ isActive, startsAt, endsAt }) => (
                    <State
                      state={
                        isActive
                          ? { word: "Under way", mark: "failing" }
                          : endsAt !== null && Date.parse(endsAt) <= Date.now()
                            ? { word: "Over", mark: "good" }
                            : { word: `From ${instantText(startsAt)}`, mark: "unknown" }
                      }
                    />
                  ),
                },
                { title: "Updates", cell: ({ updates }) => updates.length },
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}
