/** Lists the monitors with their labels: `svc monitors list`. */
import { type ApiClient, type CheckSummary, checkTypes, durationText } from "@svc/contract";
import type { Output } from "../../output/output.ts";
import { stateOf } from "../../resources/monitors/describe.ts";
import { defineCommand } from "../../runtime/command.ts";

interface Options {
  type?: string;
  status?: string;
}

/** Defines `svc monitors list`. Filters are applied here. */
export const command = defineCommand<Options>({
  summary: "list the monitors",
  answers: async () => (await import("../../answers/monitors.ts")).monitorsList,
  options: [
    { flags: "--type <type>", description: "only this type", choices: checkTypes.types },
    { flags: "--status <status>", description: "only these", choices: ["enabled", "paused"] },
  ],
  examples: ["monitors list", "monitors list --type http --status paused", "monitors list --json"],
  async run(context, { type, status }) {
    const api = context.api();
    const [checks, labels] = await Promise.all([api.listCheckSummaries(), findLabels(api, context.out)]);
    const monitors = checks
      .filter((check) => type === undefined || check.type === type)
      .filter((check) => status === undefined || stateOf(check) === status)
      .map((check) => monitorOf(check, labels));
    return { data: { monitors }, print: (out) => print(out, monitors) };
  },
});

/** Returns undefined when the labels can't be read: the list is useful without them. */
async function findLabels(api: ApiClient, out: Output): Promise<Record<string, string[]> | undefined> {
  try {
    return await api.listLabels();
  } catch (error) {
    out.warn(`the labels could not be read: ${out.text((error as Error).message)}`);
    return undefined;
  }
}

interface Monitor {
  id: string;
  name: string;
  type: string;
  status: string;
  frequencySeconds: number;
  locationCount: number;
  labels?: string[];
}

function monitorOf(check: CheckSummary, labels: Record<string, string[]> | undefined): Monitor {
  const { id, name, type, frequencySeconds, locations } = check;
  return {
    id,
    name,
    type,
    status: stateOf(check),
    frequencySeconds,
    locationCount: locations.length,
    ...(labels && { labels: labels[id] ?? [] }),
  };
}

function print(out: Output, monitors: readonly Monitor[]): void {
  if (monitors.length === 0) {
    out.info("No monitors. Create one: svc monitors create, or svc init and svc deploy.");
    return;
  }
  const { dim, green } = out.colors;
  out.table(
    [
      { title: "NAME", value: ({ name }) => name },
      { title: "TYPE", value: ({ type }) => type },
      {
        title: "STATUS",
        value: ({ status }) => status,
        paint: ({ status }) => (status === "enabled" ? green : dim),
      },
      { title: "EVERY", value: ({ frequencySeconds }) => durationText(frequencySeconds), align: "right" },
      { title: "LOCATIONS", value: ({ locationCount }) => String(locationCount), align: "right" },
      { title: "LABELS", value: ({ labels }) => labels?.join(", ") ?? "?" },
    ],
    monitors,
  );
}
