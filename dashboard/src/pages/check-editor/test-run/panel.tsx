/** What the draft of a check does when it runs, before it is stored. */
import { TEST_RUN_LIMITS } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useId } from "react";
import { locationsQuery } from "../../../api/queries/locations.ts";
import type { ShownTestRun } from "../../../api/queries/test-runs.ts";
import { ProblemSummary } from "../../../forms/form.tsx";
import { labelOfPath } from "../../../forms/record-form.tsx";
import { useMayChange } from "../../../shell/session.tsx";
import { useShortcut } from "../../../ui/shortcuts.ts";
import { Text } from "../../../ui/text.tsx";
import { type CheckDraft, configKeyOf } from "../body.ts";
import type { FailedLine } from "../script/failed-line.ts";
import { FoundAtLocation } from "./found.tsx";
import { useTestRun } from "./use-test-run.ts";
import "./test-run.css";

/**
 * Shows the test run of the draft, location by location, and begins it.
 * @param props.formId begin of the ids of the form's elements
 * @param props.checkId the stored check that is edited; null: a new one
 * @param props.onFailedLine gets the line of the script that a finished test run failed at, undefined for none
 */
export function TestRunPanel({
  formId,
  draft,
  checkId,
  onFailedLine,
}: {
  formId: string;
  draft: CheckDraft;
  checkId: string | null;
  onFailedLine: (failed: FailedLine | undefined) => void;
}) {
  const headingId = useId();
  const { current, isUnderWay, problems, refusals, failure, start, isAutomatic, setAutomatic } = useTestRun(
    draft,
    checkId,
  );
  const failedLine = JSON.stringify(current && failedLineOf(current));
  useEffect(
    () => onFailedLine(failedLine === undefined ? undefined : (JSON.parse(failedLine) as FailedLine)),
    [failedLine, onFailedLine],
  );
  const mayChange = useMayChange();
  useShortcut(
    { keys: "Mod+enter", label: "Test run", group: "This page", act: () => void start() },
    mayChange,
  );
  const names = new Map(useQuery(locationsQuery).data?.locations.map((one) => [one.id, one.displayName]));
  return (
    <aside className="panel test-run" aria-labelledby={headingId}>
      <h2 id={headingId}>Test run</h2>
      <p className="hint">
        Runs what is in the form now, before it is saved. Nothing of it counts: no result, alert or SLO.
      </p>
      <div className="row">
        <button type="button" disabled={isUnderWay} onClick={() => void start()}>
          Test run
        </button>
        <label className="switch">
          <input
            type="checkbox"
            checked={isAutomatic}
            onChange={({ target }) => setAutomatic(target.checked)}
          />{" "}
          Again after each change
        </label>
      </div>
      <p className="hint">{reachOf(draft)}</p>
      <ProblemSummary
        formId={formId}
        problems={problems}
        attempts={refusals}
        labelOfPath={labelOfPath}
        refused="Not run"
      />
      {failure !== undefined && (
        <p role="alert" className="problem">
          {failure}
        </p>
      )}
      <p role="status" className="hidden">
        {current && phasesText(current.run)}
      </p>
      {current?.run.locations.map((location) => {
        const { locationId, problem, result } = location;
        return (
          <section key={locationId} aria-label={names.get(locationId) ?? locationId}>
            <h3>
              <Text>{names.get(locationId) ?? locationId}</Text>
            </h3>
            <PhaseLine location={location} />
            {problem !== null && <p className="refusal">{problem}</p>}
            {result && <FoundAtLocation result={result} ran={current.draft} draft={draft} />}
          </section>
        );
      })}
    </aside>
  );
}

/** Words of the phases that a runner is in. */
const UNDER_WAY_WORDS = { ordered: "Picked up by", running: "Running on" } as const;

/** Says how far it is at a location, and by which runner. */
function PhaseLine({
  location: { phase, runnerId },
}: {
  location: Pick<ShownTestRun["locations"][number], "phase" | "runnerId">;
}) {
  if (phase === "done" || phase === "failed")
    return runnerId === null ? null : <p className="quiet">By runner {runnerId}</p>;
  return (
    <p className="loading" aria-busy="true">
      {runnerId === null ? "Ordered, waiting for a runner …" : `${UNDER_WAY_WORDS[phase]} ${runnerId} …`}
    </p>
  );
}

/** Says where it runs when that is not everywhere. */
function reachOf({ locations }: CheckDraft): string {
  const count = Array.isArray(locations) ? locations.length : 0;
  const { locationsMax } = TEST_RUN_LIMITS;
  return count > locationsMax ? `It runs at the first ${locationsMax} of the ${count} locations.` : "";
}

/** Returns the line of the script at which the first location failed. */
function failedLineOf({ run, draft }: { run: ShownTestRun; draft: CheckDraft }): FailedLine | undefined {
  const result = run.locations.find((one) => one.result?.scriptLine != null)?.result;
  const { script } = (draft[configKeyOf(draft.type)] ?? {}) as { script?: unknown };
  if (result?.scriptLine == null || typeof script !== "string") return undefined;
  return { script, line: result.scriptLine, message: result.errorMessage ?? "The script failed here." };
}

function phasesText({ locations }: ShownTestRun): string {
  const ended = locations.filter(({ phase }) => phase === "done" || phase === "failed").length;
  return ended < locations.length
    ? `Test run under way at ${locations.length - ended} of ${locations.length} locations`
    : `Test run ended: ${locations.map(({ result }) => result?.status ?? "not run").join(", ")}`;
}
