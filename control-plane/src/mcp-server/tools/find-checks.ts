import { CHECK_HEALTHS, type ChecksSummary, checkRoutes, checkTypes, counted } from "@svc/contract";
import * as z from "zod";
import { pageOf } from "../answers/page.ts";
import { pageInput } from "./inputs.ts";
import { defineTool, type ToolCall } from "./tool.ts";

/** Which checks are meant. */
interface Wanted {
  text?: string | undefined;
  label?: string | undefined;
  health?: ChecksSummary["health"][number] | undefined;
  type?: string | undefined;
}

/** Finds checks by what a reader knows of them. */
export const findChecks = defineTool({
  type: "find_checks",
  title: "Find checks",
  description:
    "Searches the team's checks by a part of their name or label, by label, health or type. Answers id, name, type, health, locations, response time and availability of each.",
  routes: [checkRoutes.getSummary],
  input: z.strictObject({
    text: z
      .string()
      .max(200)
      .optional()
      .describe("A part of the name or of a label, or the id, in any case."),
    label: z.string().max(200).optional().describe("Only checks with this label, such as team:payments."),
    health: z.enum(CHECK_HEALTHS).optional(),
    type: z.enum(checkTypes.types).optional(),
    ...pageInput,
  }),
  async run(call, { limit, next, ...wanted }) {
    const found = await findAll(call, wanted);
    const page = await pageOf(found, { limit, next, view: (check) => check });
    return { summary: `${counted(found.length, "check")} found.`, checks: page.records, next: page.next };
  },
});

/** Reads the summaries of all checks, page by page, and returns those that are wanted. */
async function findAll({ ctx, parts }: ToolCall, wanted: Wanted): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  let cursor: string | undefined;
  do {
    const summary = await parts.summaries.readColumns(ctx, cursor);
    for (const i of summary.ids.keys()) if (isWanted(summary, i, wanted)) found.push(checkAt(summary, i));
    cursor = summary.nextCursor;
  } while (cursor !== undefined);
  return found;
}

function isWanted(summary: ChecksSummary, i: number, { text, label, health, type }: Wanted): boolean {
  if (health !== undefined && summary.health[i] !== health) return false;
  if (type !== undefined && summary.types[i] !== type) return false;
  const labels = (summary.labelsOf[i] ?? []).map((position) => summary.labels[position] ?? "");
  if (label !== undefined && !labels.includes(label)) return false;
  if (text === undefined) return true;
  const part = text.toLowerCase();
  return [summary.names[i], summary.ids[i], ...labels].some((one) => one?.toLowerCase().includes(part));
}

function checkAt(summary: ChecksSummary, i: number): Record<string, unknown> {
  const locationsAt = (positions: readonly number[] = []) => positions.map((at) => summary.locations[at]);
  const newestSlotMs = summary.newestSlotMs[i];
  const availabilityBp = summary.availability24hBp[i];
  const project = summary.projectOf[i];
  const failing = locationsAt(summary.failing[i]);
  return {
    id: summary.ids[i],
    name: summary.names[i],
    type: summary.types[i],
    enabled: summary.enabled[i],
    health: summary.health[i],
    locations: locationsAt(summary.locationsOf[i]),
    ...(failing.length > 0 && { failingAt: failing }),
    labels: (summary.labelsOf[i] ?? []).map((position) => summary.labels[position]),
    frequencySeconds: summary.frequencySeconds[i],
    responseTimeMs: summary.responseTimeMs[i],
    newestSlotAt: typeof newestSlotMs === "number" ? new Date(newestSlotMs).toISOString() : null,
    availability24hPercent: typeof availabilityBp === "number" ? availabilityBp / 100 : null,
    openSeverity: summary.openSeverity[i],
    ...(typeof project === "number" && { project: summary.projects[project] }),
  };
}
