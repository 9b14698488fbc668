/** The list of locations with their health. */
import { useQuery } from "@tanstack/react-query";
import { locationsQuery } from "../../api/queries/locations.ts";
import { locationStates } from "../../status/words.ts";
import { Ago } from "../../time/ago.tsx";
import { Page } from "../../ui/page.tsx";
import { Loaded } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the locations that the team can use. */
export default function Locations() {
  const locations = useQuery(locationsQuery);
  return (
    <Page title="Locations">
      <Loaded query={locations}>
        {({ locations: rows }) => (
          <Table
            name="Locations"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { title: "Name", cell: ({ displayName }) => <Text>{displayName}</Text> },
              { title: "Id", cell: ({ id }) => <code>{id}</code> },
              { title: "Type", cell: ({ type }) => type },
              { title: "Health", cell: ({ health }) => <State state={locationStates[health]} /> },
              {
                title: "Last heartbeat",
                cell: ({ lastHeartbeat }) => (lastHeartbeat ? <Ago at={lastHeartbeat} /> : "never"),
              },
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
}
