/** The certificates that checks see, the soonest to end first. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { useLocationNames } from "../../api/location-names.ts";
import { type Certificate, certificatesQuery } from "../../api/queries/certificates.ts";
import { expiryState, kindsOf, trustOf } from "../../evidence/sightings.ts";
import { Ago } from "../../time/ago.tsx";
import { instantText } from "../../time/format.ts";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";
import "./certificates.css";

/** Shows the certificates. */
export default function Certificates() {
  const query = useInfiniteQuery(certificatesQuery);
  const names = useLocationNames();
  return (
    <Page title="Certificates">
      <Loaded query={query}>
        {({ pages }) => {
          const rows = pages.flatMap(({ certificates }) => certificates);
          return rows.length === 0 ? (
            <Empty>
              No check has seen a certificate yet. Checks of https:// addresses note the one that they are
              shown.
            </Empty>
          ) : (
            <>
              <Table
                name="Certificates"
                rows={rows}
                keyOf={({ checkId, host }) => `${checkId} ${host}`}
                columns={[
                  { title: "Host", cell: ({ host }) => <Text>{host}</Text> },
                  { title: "Ends", cell: (row) => <Ends certificate={row} /> },
                  {
                    title: "Check",
                    cell: ({ checkId, checkName }) => (
                      <PageLink page="check" parameters={{ id: checkId }}>
                        <Text>{checkName}</Text>
                      </PageLink>
                    ),
                  },
                  {
                    title: "Seen",
                    cell: (row) => <Kinds certificate={row} nameOf={(id) => names.get(id) ?? id} />,
                  },
                  { title: "Last change", cell: (row) => <Ago at={lastChangeOf(row)} /> },
                ]}
              />
              {query.hasNextPage && (
                <p className="more">
                  <button
                    type="button"
                    className="quiet-button"
                    disabled={query.isFetchingNextPage}
                    onClick={() => void query.fetchNextPage()}
                  >
                    Show more
                  </button>
                </p>
              )}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

function Ends({ certificate: { daysLeft, expiresAt } }: { certificate: Certificate }) {
  return (
    <>
      <State state={expiryState(daysLeft)} />
      <br />
      <time dateTime={expiresAt} className="quiet">
        {instantText(expiresAt)}
      </time>
    </>
  );
}

/** Shows what the locations see, each kind of certificate once with the locations that see it. */
function Kinds({ certificate, nameOf }: { certificate: Certificate; nameOf(id: string): string }) {
  return (
    <ul className="plain certificate-kinds">
      {kindsOf(certificate.sightings).map(({ newest, locationIds }) => (
        <li key={`${newest.fingerprintSha256} ${newest.protocol}`}>
          <Text>{newest.subject}</Text> <span className="quiet">by</span> <Text>{newest.issuer}</Text>
          <br />
          <State state={trustOf(newest)} /> <span className="quiet">{newest.protocol}, from </span>
          <Text>{locationIds.map(nameOf).join(", ")}</Text>
          {newest.trustError !== undefined && (
            <p className="problem">
              <Text>{newest.trustError}</Text>
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

function lastChangeOf({ sightings }: Certificate): string {
  return sightings.reduce((newest, { changedAt }) => (changedAt > newest ? changedAt : newest), "");
}
