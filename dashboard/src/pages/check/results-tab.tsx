/** The results of a check in a range, filtered by the service. */
import { RESULT_STATUSES } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "wouter";
import { resultsQuery } from "../../api/queries/history.ts";
import { resultStates } from "../../status/words.ts";
import { durationText, instantText } from "../../time/format.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";
import type { TabProps } from "./tab-props.ts";

/** Results on one page. */
const LIMIT = 50;

/** Shows the tab. Its filters and its page are in the address. */
export function ResultsTab({ check, range, nameOf }: TabProps) {
  const [search, setSearch] = useSearchParams();
  const filter = {
    status: search.get("status") ?? "",
    locationId: search.get("location") ?? "",
    before: search.get("before") ?? "",
  };
  const times = { from: new Date(range.fromMs).toISOString(), to: new Date(range.toMs).toISOString() };
  const query = useQuery(resultsQuery(check.id, { ...filter, ...times, limit: LIMIT }));
  const set = (changes: Record<string, string>) =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      next.delete("before");
      for (const [name, value] of Object.entries(changes)) {
        if (value === "") next.delete(name);
        else next.set(name, value);
      }
      return next;
    });
  const filters = Object.entries({ status: filter.status, locationId: filter.locationId, ...times });
  const csv = new URLSearchParams(filters.filter(([, value]) => value !== ""));
  return (
    <Panel title="Results">
      <div className="row">
        <label>
          Status{" "}
          <select value={filter.status} onChange={({ target }) => set({ status: target.value })}>
            <option value="">All</option>
            {RESULT_STATUSES.map((status) => (
              <option key={status} value={status}>
                {resultStates[status].word}
              </option>
            ))}
          </select>
        </label>
        <label>
          Location{" "}
          <select value={filter.locationId} onChange={({ target }) => set({ location: target.value })}>
            <option value="">All</option>
            {check.locations.map((id) => (
              <option key={id} value={id}>
                {nameOf(id)}
              </option>
            ))}
          </select>
        </label>
        <a href={`/api/checks/${encodeURIComponent(check.id)}/results.csv?${csv}`} download>
          Export CSV
        </a>
      </div>
      <Loaded query={query}>
        {({ results, nextCursor }) =>
          results.length === 0 ? (
            <Empty>
              No such result in this range. The first result comes within seconds of a check's creation.
            </Empty>
          ) : (
            <>
              <Table
                name="Results"
                rows={results}
                keyOf={(result) => result.id}
                columns={[
                  {
                    title: "Time",
                    cell: (result) => (
                      <PageLink page="result" parameters={{ id: check.id, resultId: result.id }}>
                        {instantText(result.slotAt)}
                      </PageLink>
                    ),
                  },
                  { title: "Location", cell: (result) => <Text>{nameOf(result.locationId)}</Text> },
                  { title: "Status", cell: (result) => <State state={resultStates[result.status]} /> },
                  { title: "Response time", cell: (result) => durationText(result.responseTimeMs) },
                  { title: "HTTP status", cell: (result) => result.httpStatusCode ?? "none" },
                  {
                    title: "Run",
                    cell: (result) =>
                      result.reason === "triggered" ? "manual" : result.reason.replace("_", " "),
                  },
                  { title: "Error", cell: (result) => <Text>{result.errorMessage ?? ""}</Text> },
                ]}
              />
              <p className="actions">
                {filter.before !== "" && (
                  <button type="button" className="quiet-button" onClick={() => set({})}>
                    Newest results
                  </button>
                )}
                {nextCursor !== undefined && (
                  <button
                    type="button"
                    className="quiet-button"
                    onClick={() => set({ before: results.at(-1)?.id ?? "" })}
                  >
                    Older results
                  </button>
                )}
              </p>
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}
