/** The team's secrets by their names: their values are shown nowhere. */
import { pagePath } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { secretsQuery } from "../../api/queries/team.ts";
import { useMayChange } from "../../shell/session.tsx";
import { Ago } from "../../time/ago.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the secrets. */
export default function Secrets() {
  const secrets = useQuery(secretsQuery);
  const mayChange = useMayChange();
  return (
    <Page
      title="Team secrets"
      actions={
        mayChange && (
          <Link href={pagePath("newSecret", {})} className="button">
            New secret
          </Link>
        )
      }
    >
      <Loaded query={secrets}>
        {({ secrets: rows }) =>
          rows.length === 0 ? (
            <Empty>
              <p>
                A check refers to a secret as <code>{"{{vault.NAME}}"}</code>; no answer, log or result shows
                its value. Store one:
              </p>
              <pre>npx svc secrets set LOGIN_PASSWORD</pre>
            </Empty>
          ) : (
            <Table
              name="Team secrets"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: "Name",
                  cell: ({ id, name }) =>
                    mayChange ? (
                      <PageLink page="secret" parameters={{ id }}>
                        <Text>{name}</Text>
                      </PageLink>
                    ) : (
                      <Text>{name}</Text>
                    ),
                },
                { title: "In a check", cell: ({ name }) => <code>{`{{vault.${name}}}`}</code> },
                {
                  title: "Value set",
                  cell: ({ updatedAt, createdAt }) => <Ago at={updatedAt ?? createdAt} />,
                },
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  );
}
