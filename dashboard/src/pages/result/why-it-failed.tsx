/** Why a run is no success: in one sentence, by what was expected, by its attempts, and by what happened elsewhere. */
import type { resultRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { runQuery } from "../../api/queries/history.ts";
import type { Answer } from "../../api/request.ts";
import { resultStates } from "../../status/words.ts";
import { durationText, timeText } from "../../time/format.ts";
import { FailedAssertions } from "../../ui/failed-assertions.tsx";
import { Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Text } from "../../ui/text.tsx";
import { categoryWords } from "./categories.ts";

type Shown = Answer<typeof resultRoutes.get>["result"];

/** Shows the reasons. */
export function WhyItFailed({ result }: { result: Shown }) {
  const attempts = result.attempts ?? [];
  return (
    <Panel title="Why it failed">
      {result.errorCategory !== null && <p className="quiet">{categoryWords[result.errorCategory]}</p>}
      <p className="lead">
        <Text>{result.errorMessage ?? "The run gives no reason."}</Text>
      </p>
      {result.scriptLine != null && <p className="quiet">Line {result.scriptLine} of the script</p>}
      <FailedAssertions result={result} />
      {attempts.length > 0 && (
        <>
          <h3>Attempts</h3>
          <ol className="attempts">
            {attempts.map((one) => (
              <li key={one.startedAt}>
                <State state={resultStates[one.status]} /> {timeText(Date.parse(one.startedAt))}{" "}
                <span className="quiet">{durationText(one.responseTimeMs)}</span>{" "}
                <Text>{one.errorMessage ?? ""}</Text>
              </li>
            ))}
          </ol>
        </>
      )}
      <Elsewhere result={result} />
      {(result.notes ?? []).map((note) => (
        <p key={note} className="quiet">
          <Text>{note}</Text>
        </p>
      ))}
    </Panel>
  );
}

/** Says how the run went at the check's other locations. */
function Elsewhere({ result }: { result: Shown }) {
  const run = useQuery(runQuery(result.checkId, result.runId)).data?.run;
  const others = run?.results.filter(({ locationId }) => locationId !== result.locationId) ?? [];
  if (others.length === 0) return null;
  const failed = others.filter(({ status }) => status !== "success").length;
  const all = others.length === 1 ? "the other location" : `all ${others.length} other locations`;
  return (
    <p>
      {failed === 0 && `In this run it worked from ${all}.`}
      {failed === others.length && `In this run it failed from ${all}, too.`}
      {failed > 0 &&
        failed < others.length &&
        `In this run it failed from ${failed} of ${others.length} other locations, too.`}
    </p>
  );
}
