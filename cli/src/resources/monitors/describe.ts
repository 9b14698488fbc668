/** Describes monitors and their results for people. */
import { type Check, checkTypes, maskCheckConfig, type Result } from "@svc/contract";
import type { Colors, Paint } from "../../output/colors.ts";
import type { Column } from "../../output/table.ts";
import { durationText, millisecondsText, relativeTime } from "../../output/times.ts";

/** Returns the state of a monitor in the words of the command line. */
export const stateOf = ({ enabled }: Pick<Check, "enabled">) => (enabled ? "enabled" : "paused");

/** Returns the check with its credentials masked: the service answers them to whoever has the key. */
export function maskedCheck(check: Check): Check {
  return { ...check, configJson: maskCheckConfig(check.type, check.configJson) };
}

/** Fields of a configuration that a check type names. */
interface NamedFields {
  readonly targetField?: string;
  readonly scriptField?: string;
}

/** Returns the address that the monitor watches; for a scripted one a note. */
function targetOf({ type, configJson }: Pick<Check, "type" | "configJson">): string {
  const { targetField = "", scriptField = "" }: NamedFields = checkTypes.find(type) ?? {};
  const target = configJson[targetField];
  if (typeof target === "string") return target;
  return scriptField in configJson ? "(script)" : "";
}

/** Returns the colour of a result's status. */
export function paintOfStatus(colors: Colors, status: string): Paint {
  if (status === "success") return colors.green;
  return status === "failure" || status === "error" || status === "timeout" ? colors.red : colors.dim;
}

/** Returns the columns of a list of results. */
export function resultColumns(colors: Colors, nowMs: number): Column<Result>[] {
  return [
    { title: "TIME", value: ({ startedAt }) => relativeTime(Date.parse(startedAt), nowMs) },
    {
      title: "STATUS",
      value: ({ status }) => status,
      paint: ({ status }) => paintOfStatus(colors, status),
    },
    { title: "LOCATION", value: ({ locationId }) => locationId },
    { title: "CODE", value: ({ httpStatusCode }) => httpStatusCode?.toString() ?? "-", align: "right" },
    { title: "DURATION", value: ({ responseTimeMs }) => millisecondsText(responseTimeMs), align: "right" },
    { title: "ERROR", value: ({ errorMessage }) => errorMessage ?? "" },
    { title: "ID", value: ({ id }) => id },
  ];
}

/** Returns a monitor in detail, as labels and values. */
export function fieldsOfMonitor(check: Check, labels: readonly string[] | undefined, nowMs: number) {
  return [
    ["Name", check.name],
    ["Id", check.id],
    ["Type", check.type],
    ["State", stateOf(check)],
    ["Target", targetOf(check)],
    ["Frequency", durationText(check.frequencySeconds)],
    ["Locations", check.locations.join(", ")],
    ...(labels === undefined ? [] : [["Labels", labels.join(", ") || "-"] as const]),
    ["Created", relativeTime(Date.parse(check.createdAt), nowMs)],
    ["Updated", check.updatedAt === null ? "-" : relativeTime(Date.parse(check.updatedAt), nowMs)],
  ] as const;
}
