/** The TLS certificates of a check's hosts, as each of its locations sees them. */
import { DAY_MS } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { checkCertificatesQuery } from "../../api/queries/certificates.ts";
import { expiryState, trustOf } from "../../evidence/sightings.ts";
import { useNowMs } from "../../time/ago.tsx";
import { instantText } from "../../time/format.ts";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the certificates. */
export function Certificates({ checkId, nameOf }: { checkId: string; nameOf(locationId: string): string }) {
  const query = useQuery(checkCertificatesQuery(checkId));
  const nowMs = useNowMs();
  return (
    <Panel title="TLS">
      <Loaded query={query}>
        {({ certificates }) => {
          const rows = certificates.flatMap(({ host, sightings }) =>
            sightings.map((sighting) => ({ host, ...sighting })),
          );
          return rows.length === 0 ? (
            <Empty>
              No location has seen a certificate of this check yet. The first run that is shown one notes it.
            </Empty>
          ) : (
            <Table
              name="Certificates by location"
              rows={rows}
              keyOf={({ host, locationId }) => `${host} ${locationId}`}
              columns={[
                { title: "Location", cell: ({ locationId }) => <Text>{nameOf(locationId)}</Text> },
                { title: "Host", cell: ({ host }) => <Text>{host}</Text> },
                { title: "Subject", cell: ({ subject }) => <Text>{subject}</Text> },
                { title: "Issuer", cell: ({ issuer }) => <Text>{issuer}</Text> },
                {
                  title: "Ends",
                  cell: ({ validTo }) => (
                    <time dateTime={validTo} title={instantText(validTo)}>
                      <State state={expiryState(Math.floor((Date.parse(validTo) - nowMs) / DAY_MS))} />
                    </time>
                  ),
                },
                {
                  title: "Chain",
                  cell: (row) => (
                    <>
                      <State state={trustOf(row)} />
                      {row.trustError !== undefined && (
                        <span className="problem">
                          {" "}
                          <Text>{row.trustError}</Text>
                        </span>
                      )}
                    </>
                  ),
                },
                { title: "Protocol", cell: ({ protocol }) => <Text>{protocol}</Text> },
              ]}
            />
          );
        }}
      </Loaded>
    </Panel>
  );
}
