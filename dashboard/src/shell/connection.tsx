/** Says whether what the page shows is the present: since when nothing came, when the service is away. */
import { useLiveness } from "../live/live.tsx";
import type { Liveness } from "../live/liveness.ts";
import { timeText } from "../time/format.ts";

/** Shows `Live`, or since when it isn't. */
export function Connection() {
  const liveness = useLiveness();
  return (
    <span
      role="status"
      aria-label="Connection"
      className={`connection ${liveness.state}`}
      title={
        liveness.state === "polling" ? "Read every few seconds: changes do not come by themselves" : undefined
      }
    >
      {wordsOf(liveness)}
    </span>
  );
}

function wordsOf(liveness: Liveness): string {
  if (liveness.state === "stale") return `Not live since ${timeText(liveness.sinceMs)}`;
  if (liveness.state === "connecting") return "Connecting";
  return liveness.state === "reconnecting" ? "Reconnecting" : "Live";
}
