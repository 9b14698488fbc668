/** What can be done with an incident. */
import type { incidentRoutes } from "@svc/contract";
import { request } from "../../api/request.ts";
import { useMayChange } from "../../shell/session.tsx";
import { Action } from "../../ui/action.tsx";
import { Copy } from "../../ui/copy.tsx";
import { download } from "../../ui/download.ts";
import { summaryText } from "./summary-text.ts";
import { type TimelineEntry, timelineText } from "./timeline-entries.ts";
import { changesBefore, type ShownAnnotation, type Triage } from "./triage.ts";

/** Shows the buttons: those that change the incident only to those who may. */
export function IncidentActions({
  triage,
  annotations,
  entries,
}: {
  triage: Triage;
  annotations: readonly ShownAnnotation[];
  entries: readonly TimelineEntry[];
}) {
  const mayChange = useMayChange();
  const { incident } = triage;
  return (
    <>
      {mayChange && <Lifecycle id={incident.id} state={incident.state} />}
      <Copy
        label="Copy summary"
        text={() => summaryText(triage, changesBefore(incident, annotations), window.location.href)}
      />
      <button
        type="button"
        className="quiet-button"
        onClick={() => download(`${incident.id}-timeline.txt`, timelineText(entries))}
      >
        Export timeline
      </button>
    </>
  );
}

function Lifecycle({ id, state }: { id: string; state: Triage["incident"]["state"] }) {
  const params = { id };
  return (
    <>
      {state === "open" && (
        <Action
          label="Acknowledge"
          keys="a"
          isPassing
          act={() =>
            request<typeof incidentRoutes.acknowledge>("POST", "/api/incidents/:id/acknowledge", { params })
          }
        />
      )}
      {state !== "closed" && (
        <Action
          label="Close"
          isQuiet
          isPassing
          act={() => request<typeof incidentRoutes.close>("POST", "/api/incidents/:id/close", { params })}
        />
      )}
      {(state === "resolved" || state === "closed") && (
        <Action
          label="Reopen"
          isQuiet
          isPassing
          act={() => request<typeof incidentRoutes.reopen>("POST", "/api/incidents/:id/reopen", { params })}
        />
      )}
    </>
  );
}
