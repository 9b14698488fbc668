/** The list of rotas: who is on duty now, and when that ends. */
import { pagePath } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { rotasQuery } from "../../api/queries/rotas.ts";
import { useMayChange } from "../../shell/session.tsx";
import { wallTimeText } from "../../time/format.ts";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the rotas. */
export default function Rotas() {
  const rotas = useQuery(rotasQuery);
  const mayChange = useMayChange();
  return (
    <Page
      title="Rotas"
      actions={
        <>
          <Link href={pagePath("incidentPolicy", {})} className="button">
            Incident policy
          </Link>{" "}
          {mayChange && (
            <Link href={pagePath("newRota", {})} className="button">
              New rota
            </Link>
          )}
        </>
      }
    >
      <Loaded query={rotas}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>
              <p>
                A rota says who is on duty, in turn. A step of the incident policy that names it notifies
                whoever is on duty then. Make one:
              </p>
              <pre>npx svc rotas create --help</pre>
            </Empty>
          ) : (
            <Table
              name="Rotas"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: "Name",
                  cell: ({ id, name }) => (
                    <PageLink page="rota" parameters={{ id }}>
                      <Text>{name}</Text>
                    </PageLink>
                  ),
                },
                { title: "On duty now", cell: ({ onDuty }) => <Text>{onDuty.member}</Text> },
                {
                  title: "Until",
                  cell: ({ onDuty, timezone }) => (
                    <time dateTime={onDuty.to}>{wallTimeText(onDuty.to, timezone)}</time>
                  ),
                },
                {
                  title: "Because of",
                  cell: ({ onDuty }) => (onDuty.isOverride ? "an override" : "the turn"),
                },
                {
                  title: "Members",
                  cell: ({ members }) => <Text>{members.map(({ name }) => name).join(", ")}</Text>,
                },
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  );
}
