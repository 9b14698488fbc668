/** A run: one slot of a check, with its result from each location. */
import type { resultRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "wouter";
import { useLocationNames } from "../../api/location-names.ts";
import { runQuery } from "../../api/queries/history.ts";
import type { Answer } from "../../api/request.ts";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { resultStates } from "../../status/words.ts";
import { durationText, instantText } from "../../time/format.ts";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Loaded } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the run that the address names. */
export default function RunPage() {
  const { id = "", runId = "" } = useParams<{ id: string; runId: string }>();
  const query = useQuery(runQuery(id, runId));
  if (isNotFound(query.error)) return <NotFound title="Run not found" />;
  return <Loaded query={query}>{({ run }) => <RunDetails run={run} />}</Loaded>;
}

function RunDetails({ run }: { run: Answer<typeof resultRoutes.getRun>["run"] }) {
  const names = useLocationNames();
  const rows = run.locations.map((locationId) => ({
    locationId,
    result: run.results.find((result) => result.locationId === locationId),
  }));
  return (
    <Page title={`Run of ${instantText(run.slotAt)}`}>
      <p className="facts">
        <span>{run.reason === "triggered" ? "Manual run" : run.reason.replace("_", " ")}</span>
        <span>
          {run.results.length} of {run.locations.length} results
        </span>
        <PageLink page="check" parameters={{ id: run.checkId }}>
          Go to the check
        </PageLink>
      </p>
      <Table
        name="Results by location"
        rows={rows}
        keyOf={({ locationId }) => locationId}
        columns={[
          { title: "Location", cell: ({ locationId }) => <Text>{names.get(locationId) ?? locationId}</Text> },
          {
            title: "Result",
            cell: ({ result }) =>
              result ? (
                <PageLink page="result" parameters={{ id: run.checkId, resultId: result.id }}>
                  <State state={resultStates[result.status]} />
                </PageLink>
              ) : (
                "No result has arrived."
              ),
          },
          {
            title: "Response time",
            cell: ({ result }) => (result ? durationText(result.responseTimeMs) : ""),
          },
          { title: "Error", cell: ({ result }) => <Text>{result?.errorMessage ?? ""}</Text> },
        ]}
      />
    </Page>
  );
}
