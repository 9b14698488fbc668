/** Lists the incidents, newest first: `svc incidents list`. */
import { INCIDENT_STATES, type Incident, type IncidentState } from "@svc/contract";
import { type PageOptions, pageOptions } from "../../lookup/pages.ts";
import type { Colors } from "../../output/colors.ts";
import type { Column } from "../../output/table.ts";
import { ago } from "../../output/times.ts";
import { paintOfSeverity } from "../../resources/alerts/describe.ts";
import { defineCommand } from "../../runtime/command.ts";
import { someOf } from "../../runtime/option-values.ts";

/** Defines `svc incidents list`. The service filters and pages. */
export const command = defineCommand<PageOptions & { state?: IncidentState[] }>({
  summary: "list the incidents, newest first",
  answers: async () => (await import("../../answers/incidents.ts")).incidentsList,
  options: [
    {
      flags: "--state <states>",
      description: `only these, comma-separated: ${INCIDENT_STATES.join(", ")}`,
      parse: someOf("--state", INCIDENT_STATES),
    },
    ...pageOptions(),
  ],
  examples: ["incidents list", "incidents list --state open,acknowledged --json"],
  async run(context, { state, limit, offset = 0 }) {
    const { incidents } = await context.api().listIncidents({ limit, offset, ...(state && { state }) });
    return {
      data: { incidents, limit, offset },
      print: (out) => {
        if (incidents.length === 0) out.info("No such incidents.");
        else out.table(columns(out.colors, context.system.nowMs()), incidents);
      },
    };
  },
});

function columns(colors: Colors, nowMs: number): Column<Incident>[] {
  return [
    {
      title: "SEVERITY",
      value: ({ severity }) => severity,
      paint: ({ severity }) => paintOfSeverity(colors, severity),
    },
    { title: "STATE", value: ({ state }) => state },
    { title: "TITLE", value: ({ title }) => title },
    { title: "OPENED", value: ({ openedAt }) => ago(openedAt, nowMs) },
    {
      title: "ALERTS OPEN",
      value: ({ openMemberCount, memberCount }) => `${openMemberCount}/${memberCount}`,
      align: "right",
    },
    { title: "ID", value: ({ id }) => id },
  ];
}
