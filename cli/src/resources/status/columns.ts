/** Lays out the list of monitors with their health. */
import { durationText } from "@svc/contract";
import type { Colors } from "../../output/colors.ts";
import { sparkline } from "../../output/sparkline.ts";
import type { Column } from "../../output/table.ts";
import type { MonitorStatus } from "./read-status.ts";

/** Returns the columns of the list of monitors: health, name, state and newest results. */
export function statusColumns({ green, red, dim }: Colors): Column<MonitorStatus>[] {
  return [
    {
      title: "HEALTH",
      value: healthText,
      paint: ({ status, health }) => {
        if (status === "paused" || health === "unknown") return dim;
        return health === "healthy" ? green : red;
      },
    },
    { title: "NAME", value: ({ name }) => name },
    { title: "STATE", value: ({ status }) => status },
    { title: "TYPE", value: ({ type }) => type },
    { title: "EVERY", value: ({ frequencySeconds }) => durationText(frequencySeconds), align: "right" },
    // The newest result is the last.
    { title: "RECENT", value: recentText, keeps: "end" },
    { title: "FAILING IN", value: ({ failingLocations }) => failingLocations.join(", ") },
  ];
}

function healthText({ status, health }: Pick<MonitorStatus, "status" | "health">): string {
  return status === "paused" ? "paused" : health;
}

/** Draws a bar per result, the higher the slower it was; a cross for each that was no success. */
function recentText({ recent }: Pick<MonitorStatus, "recent">): string {
  const bars = sparkline(recent.map(({ responseTimeMs }) => responseTimeMs));
  return [...bars].map((bar, i) => (recent[i]?.status === "success" ? bar : "✗")).join("");
}
