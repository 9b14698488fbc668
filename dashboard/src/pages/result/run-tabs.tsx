/** The results of a run's locations, one of which is open. */

import { pagePath } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { runQuery } from "../../api/queries/history.ts";
import { resultStates } from "../../status/words.ts";
import { State } from "../../ui/state.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows a link to each location's result; nothing for a check of one location. */
export function RunTabs({
  checkId,
  runId,
  resultId,
  nameOf,
}: {
  checkId: string;
  runId: string;
  resultId: string;
  nameOf(locationId: string): string;
}) {
  const run = useQuery(runQuery(checkId, runId)).data?.run;
  if (!run || run.locations.length < 2) return null;
  return (
    <nav aria-label="Locations of this run" className="run-tabs">
      <ul>
        {run.locations.map((locationId) => {
          const result = run.results.find((one) => one.locationId === locationId);
          return (
            <li key={locationId}>
              {result ? (
                <Link
                  href={pagePath("result", { id: checkId, resultId: result.id })}
                  aria-current={result.id === resultId ? "page" : undefined}
                >
                  <State state={resultStates[result.status]} />
                  <Text>{nameOf(locationId)}</Text>
                </Link>
              ) : (
                <span className="quiet">
                  <Text>{nameOf(locationId)}</Text>: no result
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
