/** Why slots of the last day have no result at a location. */
import { useQuery } from "@tanstack/react-query";
import { type TeamCoverage, teamCoverageQuery } from "../../api/queries/locations.ts";
import { missingReasons } from "../../status/words.ts";
import { instantText, numberText } from "../../time/format.ts";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";

type Reason = TeamCoverage["locations"][number]["missing"][number]["reason"];

/** Shows the missing slots by reason. */
export function MissingSlots({ locationId }: { locationId: string }) {
  const coverage = useQuery(teamCoverageQuery);
  return (
    <Loaded query={coverage}>
      {({ locations, asOf }) => {
        const here = locations.find((one) => one.locationId === locationId);
        if (!here) return <Empty>No slot was due here in the last 24 hours.</Empty>;
        const due = `of ${numberText(here.expected)} slots, counted at ${instantText(asOf)}`;
        if (here.missingCount === 0) return <p>None {due}.</p>;
        return (
          <>
            <p>
              <strong>{numberText(here.missingCount)}</strong> {due}.
            </p>
            <Table
              name="Missing slots by reason"
              rows={here.missing}
              keyOf={({ reason }) => reason}
              columns={[
                { title: "Why", cell: ({ reason }) => sentenceOf(reason) },
                { title: "Slots", cell: ({ count }) => numberText(count) },
              ]}
            />
          </>
        );
      }}
    </Loaded>
  );
}

function sentenceOf(reason: Reason): string {
  return reason === "not_explained" ? "Of very many, only some are explained." : missingReasons[reason];
}
