/** Which share of the location's runners is taken, and by which checks. */
import { amountText } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { capacityOfLocationQuery } from "../../api/queries/capacity.ts";
import { durationText } from "../../time/format.ts";
import { CapacityShare } from "../../ui/capacity-share.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

const BASIS_POINTS_PER_PERCENT = 100;

/** Shows the capacity. */
export function Capacity({ locationId }: { locationId: string }) {
  const query = useQuery(capacityOfLocationQuery(locationId));
  return (
    <Loaded query={query}>
      {({ location, largest }) => (
        <>
          <p>
            <CapacityShare name={location.name} figures={location} />
          </p>
          {location.warning !== null && (
            <p className="problem">
              <Text>{location.warning}</Text>
            </p>
          )}
          <p>
            {amountText(location.runsPerHour)} runs an hour
            {location.browserSecondsPerHour > 0 &&
              `, ${amountText(location.browserSecondsPerHour)} browser seconds an hour`}
            {location.runners === null &&
              "; of the share, what other teams take is rounded to a tenth of the whole"}
            .
          </p>
          {largest.some(({ isMeasured }) => !isMeasured) && (
            <p className="hint">
              Typical: what runs of this kind take, where none was measured in the last day.
            </p>
          )}
          {largest.length === 0 ? (
            <Empty>No check runs from here.</Empty>
          ) : (
            <Table
              name="Checks that take most"
              rows={largest}
              keyOf={({ checkId }) => checkId}
              columns={[
                {
                  title: "Check",
                  cell: ({ checkId, name }) => (
                    <PageLink page="check" parameters={{ id: checkId }}>
                      <Text>{name}</Text>
                    </PageLink>
                  ),
                },
                { title: "Type", cell: ({ type }) => type },
                { title: "Runs an hour", cell: ({ runsPerHour }) => amountText(runsPerHour) },
                {
                  title: "A run takes",
                  cell: ({ runSeconds, isMeasured }) => (
                    <>
                      {durationText(runSeconds * 1_000)}
                      {!isMeasured && <span className="quiet"> (typical)</span>}
                    </>
                  ),
                },
                {
                  title: "Takes of the runners",
                  cell: ({ shareBasisPoints }) =>
                    shareBasisPoints === null ? (
                      <span className="quiet">not known</span>
                    ) : (
                      `${(shareBasisPoints / BASIS_POINTS_PER_PERCENT).toFixed(2)} %`
                    ),
                },
              ]}
            />
          )}
        </>
      )}
    </Loaded>
  );
}
