/** The list of locations: whether they work, what runs there, and how many slots are missing. */
import { amountText, pagePath } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { capacityQuery, type LocationCapacity } from "../../api/queries/capacity.ts";
import { locationsQuery, runnersQuery, teamCoverageQuery } from "../../api/queries/locations.ts";
import { summaryQuery } from "../../api/queries/summary.ts";
import { useMayChange } from "../../shell/session.tsx";
import { locationStates } from "../../status/words.ts";
import { durationText, numberText } from "../../time/format.ts";
import { CapacityShare } from "../../ui/capacity-share.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Loaded } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";
import { type LocationRow, rowsOf } from "./rows.ts";

const COLUMNS: readonly Column<LocationRow>[] = [
  {
    title: "Name",
    cell: ({ location: { id, displayName } }) => (
      <PageLink page="location" parameters={{ id }}>
        <Text>{displayName}</Text>
      </PageLink>
    ),
  },
  { title: "Type", cell: ({ location: { type } }) => type },
  { title: "Health", cell: ({ location }) => <Health location={location} /> },
  { title: "Runners online", cell: (row) => <RunnersOnline row={row} /> },
  {
    title: "Checks",
    cell: ({ checkCount }) => (checkCount === undefined ? <Unknown /> : numberText(checkCount)),
  },
  { title: "Runs an hour", cell: ({ capacity }) => <RunsAnHour capacity={capacity} /> },
  {
    title: "Taken of the runners",
    cell: ({ capacity }) =>
      capacity ? <CapacityShare name={capacity.name} figures={capacity} /> : <Unknown />,
  },
  { title: "Missing slots, 24 h", cell: ({ slots }) => <Missing slots={slots} /> },
  {
    title: "Lateness p99",
    cell: ({ runners }) =>
      runners === undefined || runners.online === 0 ? <Unknown /> : durationText(runners.latenessP99Ms),
  },
];

function Health({ location: { health, outage } }: Pick<LocationRow, "location">) {
  return (
    <>
      <State state={locationStates[health]} />
      {outage && (
        <div className="below">
          <PageLink page="incident" parameters={{ id: outage.incidentId }}>
            Can't reach its targets
          </PageLink>
        </div>
      )}
    </>
  );
}

/** Shows the locations that the team can use. */
export default function Locations() {
  const mayChange = useMayChange();
  const locations = useQuery(locationsQuery);
  const runners = useQuery(runnersQuery);
  const checks = useQuery(summaryQuery);
  const coverage = useQuery(teamCoverageQuery);
  const capacity = useQuery(capacityQuery);
  return (
    <Page
      title="Locations"
      actions={
        mayChange && (
          <Link href={pagePath("newLocation", {})} className="button">
            New private location
          </Link>
        )
      }
    >
      <Loaded query={locations}>
        {({ locations: all }) => (
          <>
            <Warnings locations={capacity.data?.locations ?? []} />
            {all.every(({ type }) => type === "hosted") && <NoPrivate />}
            <Table
              name="Locations"
              rows={rowsOf(all, {
                runners: runners.data,
                checks: checks.data,
                coverage: coverage.data,
                capacity: capacity.data?.locations,
              })}
              keyOf={({ location }) => location.id}
              columns={COLUMNS}
            />
            {[runners, checks, coverage, capacity]
              .filter(({ error }) => error !== null)
              .map(({ error }) => (
                <p key={error?.message} role="alert" className="problem">
                  {error?.message}
                </p>
              ))}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Says of which locations more than 80 % is taken, where checks of the team run. */
function Warnings({ locations }: { locations: readonly LocationCapacity[] }) {
  return locations
    .filter(({ runsPerHour }) => runsPerHour > 0)
    .map(
      ({ locationId, warning }) =>
        warning !== null && (
          <p key={locationId} className="problem">
            <Text>{warning}</Text>
          </p>
        ),
    );
}

function RunsAnHour({ capacity }: { capacity: LocationCapacity | undefined }) {
  if (!capacity) return <Unknown />;
  const { runsPerHour, browserSecondsPerHour } = capacity;
  return (
    <>
      {amountText(runsPerHour)}
      {browserSecondsPerHour > 0 && (
        <span className="quiet">, {amountText(browserSecondsPerHour)} browser seconds</span>
      )}
    </>
  );
}

function NoPrivate() {
  return (
    <div className="empty">
      <p>A private location checks from your own network what only that network reaches. Make one:</p>
      <pre>npx svc locations create office</pre>
    </div>
  );
}

function RunnersOnline({ row: { location, runners } }: { row: LocationRow }) {
  if (location.type === "hosted") return <span className="quiet">run by the service</span>;
  if (!runners) return <Unknown />;
  if (runners.all === 0) return <span className="problem">none yet</span>;
  return (
    <span className={runners.online === 0 ? "problem" : undefined}>
      {runners.online} of {runners.all}
    </span>
  );
}

function Missing({ slots }: { slots: LocationRow["slots"] }) {
  if (!slots) return <Unknown />;
  if (slots.expected === 0) return <span className="quiet">none was due</span>;
  if (slots.missing === 0) return <span>none of {numberText(slots.expected)}</span>;
  return (
    <strong>
      {numberText(slots.missing)} of {numberText(slots.expected)}
    </strong>
  );
}

/** Stands where nothing is known, with a word for screen readers. */
function Unknown() {
  return (
    <span className="quiet">
      <span aria-hidden="true">–</span>
      <span className="hidden">not known</span>
    </span>
  );
}
