/** The list of checks: filter, order and rows in sight, for any number of checks. */
import "./checks.css";
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import { useLocationNames } from "../../api/location-names.ts";
import { resultsInSightQuery, summaryQuery } from "../../api/queries/summary.ts";
import { type CheckRow, rowsOf } from "../../status/check-rows.ts";
import { checkStates, severityWords } from "../../status/words.ts";
import { durationText, numberText, percentText } from "../../time/format.ts";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Strip } from "../../ui/strip.tsx";
import { Text } from "../../ui/text.tsx";
import { type SortableColumn, VirtualTable } from "../../ui/virtual-table.tsx";
import { filterOf } from "./filter.ts";
import { orderOf, type SortColumn, sorted } from "./sort.ts";

/** Labels that a row shows; the rest is counted. */
const LABELS_MAX = 3;
/** Checks whose results one request may ask for. */
const IN_SIGHT_MAX = 100;

/** Shows the checks. Filter and order stand in the address, as `?q=` and `?sort=`. */
export default function Checks() {
  const summary = useQuery(summaryQuery);
  return (
    <Page title="Checks">
      <Loaded query={summary}>{(parts) => <CheckList all={rowsOf(parts)} />}</Loaded>
    </Page>
  );
}

function CheckList({ all }: { all: readonly CheckRow[] }) {
  const [search, setSearch] = useSearchParams();
  const filter = search.get("q") ?? "";
  const sort = search.get("sort");
  const shown = useDeferredValue(filter);
  const rows = useMemo(() => sorted(all.filter(filterOf(shown)), orderOf(sort)), [all, shown, sort]);
  const [inSight, setInSight] = useState<readonly CheckRow[]>([]);
  const results = useQuery(resultsInSightQuery(inSight.slice(0, IN_SIGHT_MAX).map(({ id }) => id))).data;
  const names = useLocationNames();
  const change = (name: string, value: string) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === "") next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  if (all.length === 0) return <FirstCheck />;
  const sortBy = (by: SortColumn): SortableColumn<CheckRow>["sort"] => {
    const direction = sort === by ? "ascending" : sort === `-${by}` ? "descending" : "none";
    const next = { none: by, ascending: `-${by}`, descending: "" }[direction];
    return { direction, toggle: () => change("sort", next) };
  };
  return (
    <>
      <p className="row">
        <input
          type="search"
          aria-label="Filter checks"
          placeholder="Words, label:shop, type:http, is:failing"
          value={filter}
          onChange={({ target: { value } }) => change("q", value)}
        />
        <span role="status" className="quiet">
          {rows.length === all.length
            ? `${numberText(all.length)} checks`
            : `${numberText(rows.length)} of ${numberText(all.length)} checks`}
        </span>
      </p>
      {rows.length === 0 ? (
        <Empty>No check is like that.</Empty>
      ) : (
        <VirtualTable
          name="Checks"
          rows={rows}
          keyOf={({ id }) => id}
          onRange={setInSight}
          columns={[
            { title: "Name", sort: sortBy("name"), cell: (row) => <Name row={row} /> },
            {
              title: "Status",
              cell: ({ state, failing, locations }) => (
                <>
                  <State state={checkStates[state]} />
                  {failing.length > 0 && (
                    <span className="quiet" title={failing.map((id) => names.get(id) ?? id).join(", ")}>
                      {" "}
                      {failing.length} of {locations.length}
                    </span>
                  )}
                </>
              ),
            },
            { title: "Newest results", cell: ({ id }) => <Strip results={results?.get(id) ?? []} /> },
            {
              title: "Response time",
              sort: sortBy("responseTime"),
              cell: ({ responseTimeMs }) =>
                responseTimeMs === null ? "none yet" : durationText(responseTimeMs),
            },
            {
              title: "Availability, 24 h",
              sort: sortBy("availability"),
              cell: ({ availabilityBp }) =>
                availabilityBp === null ? "no results" : percentText(availabilityBp / 10_000),
            },
            {
              title: "Every",
              sort: sortBy("frequency"),
              cell: ({ frequencySeconds }) => durationText(frequencySeconds * 1000),
            },
            {
              title: "Alerts",
              cell: ({ openSeverity }) => (openSeverity === null ? "" : severityWords[openSeverity]),
            },
          ]}
        />
      )}
    </>
  );
}

function Name({ row: { id, name, type, labels, project } }: { row: CheckRow }) {
  return (
    <span className="check-name">
      <PageLink page="check" parameters={{ id }}>
        <Text>{name}</Text>
      </PageLink>
      <span className="tag">{type}</span>
      {labels.slice(0, LABELS_MAX).map((label) => (
        <span key={label} className="tag">
          <Text>{label}</Text>
        </span>
      ))}
      {labels.length > LABELS_MAX && <span className="quiet">+{labels.length - LABELS_MAX}</span>}
      {project !== null && (
        <span className="tag" title={`Managed by project ${project}`}>
          code
        </span>
      )}
    </span>
  );
}

function FirstCheck() {
  return (
    <Empty>
      <p>
        A check runs at intervals and says whether what it looks at works. Describe the first one as code:
      </p>
      <pre>npx svc init --url https://example.com{"\n"}npx svc deploy --wait</pre>
    </Empty>
  );
}
