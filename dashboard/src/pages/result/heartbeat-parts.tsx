/** What a job reported, or that it did not. */
import type { resultRoutes } from "@svc/contract";
import type { Answer } from "../../api/request.ts";
import { durationText } from "../../time/format.ts";
import { Panel } from "../../ui/panel.tsx";

type Shown = Answer<typeof resultRoutes.get>["result"];

/** Shows the part that the result has. */
export function HeartbeatParts({ result: { heartbeatJson } }: { result: Pick<Shown, "heartbeatJson"> }) {
  if (!heartbeatJson) return null;
  const { kind, exitCode, durationMs } = heartbeatJson;
  return (
    <Panel title="Report">
      <p>
        {kind === "overdue" ? "No report came in time." : `The job reported the exit code ${exitCode}.`}
        {durationMs !== undefined && ` It ran for ${durationText(durationMs)}.`}
      </p>
    </Panel>
  );
}
