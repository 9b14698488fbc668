/** The list of checks, those that need somebody first. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { checksQuery, healthQuery } from "../../api/queries/checks.ts";
import { withStates } from "../../status/check-states.ts";
import { checkStates } from "../../status/words.ts";
import { durationText, numberText } from "../../time/format.ts";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Strip } from "../../ui/strip.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

/** Rows that are shown at first, and more at each request for more. */
const ROWS_AT_ONCE = 100;

/** Shows the checks. The filter stands in the address, as `?q=`. */
export default function Checks() {
  const checks = useQuery(checksQuery);
  const health = useQuery(healthQuery);
  const [search, setSearch] = useSearchParams();
  const [rowsMax, setRowsMax] = useState(ROWS_AT_ONCE);
  const filter = search.get("q") ?? "";
  return (
    <Page title="Checks">
      <p>
        <label>
          <span className="hidden">Filter checks</span>
          <input
            type="search"
            aria-label="Filter checks"
            placeholder="Filter by name or type"
            value={filter}
            onChange={({ target: { value } }) =>
              setSearch(value === "" ? {} : { q: value }, { replace: true })
            }
          />
        </label>
      </p>
      <Loaded query={checks}>
        {({ checks: all }) => {
          const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
          const rows = withStates(all, health.data ?? []).filter(({ check, state }) =>
            words.every((word) =>
              `${check.name} ${check.type} ${checkStates[state].word}`.toLowerCase().includes(word),
            ),
          );
          if (all.length === 0) return <Empty>There are no checks yet.</Empty>;
          return (
            <>
              <p role="status">
                {rows.length === all.length
                  ? `${numberText(all.length)} checks`
                  : `${numberText(rows.length)} of ${numberText(all.length)} checks`}
              </p>
              <Table
                name="Checks"
                rows={rows.slice(0, rowsMax)}
                keyOf={({ check }) => check.id}
                columns={[
                  {
                    title: "Name",
                    cell: ({ check }) => (
                      <PageLink page="check" parameters={{ id: check.id }}>
                        <Text>{check.name}</Text>
                      </PageLink>
                    ),
                  },
                  { title: "Status", cell: ({ state }) => <State state={checkStates[state]} /> },
                  {
                    title: "Newest results",
                    cell: ({ health: one }) => <Strip results={one?.results ?? []} />,
                  },
                  {
                    title: "Response time",
                    cell: ({ health: one }) => {
                      const newest = one?.results.at(-1);
                      return newest ? durationText(newest.responseTimeMs) : "none yet";
                    },
                  },
                  { title: "Type", cell: ({ check }) => check.type },
                  { title: "Every", cell: ({ check }) => durationText(check.frequencySeconds * 1000) },
                  { title: "Locations", cell: ({ check }) => check.locations.length },
                ]}
              />
              {rows.length > rowsMax && (
                <button type="button" onClick={() => setRowsMax(rowsMax + ROWS_AT_ONCE)}>
                  Show more
                </button>
              )}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
