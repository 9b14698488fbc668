/** Describes monitors and their results for people. */
import { type Check, checkTypes, durationText, MASK, maskCheckConfig, type Result } from "@svc/contract";
import type { Colors, Paint } from "../../output/colors.ts";
import type { Column } from "../../output/table.ts";
import { millisecondsText, relativeTime } from "../../output/times.ts";

/** Returns the state of a monitor in the words of the command line. */
export const stateOf = ({ enabled }: Pick<Check, "enabled">) => (enabled ? "enabled" : "paused");

/** Returns the check with its credentials masked: the service answers them to whoever has the key. */
export function maskedCheck(check: Check): Check {
  return {
    ...check,
    configJson: maskCheckConfig(check.type, check.configJson),
    ...(check.pushUrl !== undefined && { pushUrl: check.pushUrl.replace(/[^/]+$/, MASK) }),
  };
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

/** Longest text of a setting that is shown on its line. */
const SETTING_CHARACTERS_MAX = 80;

/** Returns the settings of the monitor's configuration in one line; scripts and long texts only by their name. */
function settingsOf({ type, configJson }: Pick<Check, "type" | "configJson">): string {
  const { targetField }: NamedFields = checkTypes.find(type) ?? {};
  return Object.entries(configJson)
    .filter(([field, value]) => field !== targetField && value !== null && value !== undefined)
    .map(([field, value]) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      if (Array.isArray(value)) return `${field} (${value.length})`;
      return text.length > SETTING_CHARACTERS_MAX || text.includes("\n") ? field : `${field} ${text}`;
    })
    .join(", ");
}

/** Returns the assertions of the monitor's configuration, one text each. */
function assertionsOf({ configJson }: Pick<Check, "configJson">): string[] {
  const { assertions } = configJson;
  if (!Array.isArray(assertions)) return [];
  return assertions.map(({ type, operator, value: expected, ...fields }: Record<string, unknown>) =>
    [type, ...Object.values(fields), operator, expected]
      .filter((value) => value !== undefined)
      .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
      .join(" "),
  );
}

function retryText({ retry }: Pick<Check, "retry">): string {
  if (!retry) return "none";
  return `${retry.strategy}, at most ${retry.maxRetries} within ${durationText(retry.maxDurationSeconds)}`;
}

/** Parts of a monitor that are read beside it; undefined: they could not be read. */
export interface MonitorExtras {
  labels: readonly string[] | undefined;
  /** Names of the monitors that it depends on; the id of one whose name could not be read. */
  dependencies: readonly string[];
  /** The alert rules of the monitor, each as a text. */
  rules: readonly string[] | undefined;
}

/** Returns a monitor in detail, as labels and values. */
export function fieldsOfMonitor(check: Check, { labels, rules, dependencies }: MonitorExtras, nowMs: number) {
  const assertions = assertionsOf(check);
  const target = targetOf(check);
  return [
    ["Name", check.name],
    ["Id", check.id],
    ["Type", check.type],
    ["State", stateOf(check)],
    ...(target === "" ? [] : [["Target", target] as const]),
    ...(check.pushUrl === undefined ? [] : [["Reports to", check.pushUrl] as const]),
    ["Frequency", durationText(check.frequencySeconds)],
    ["Locations", check.locations.join(", ")],
    ...(labels === undefined ? [] : [["Labels", labels.join(", ") || "-"] as const]),
    ...(dependencies.length === 0 ? [] : [["Depends on", dependencies.join(", ")] as const]),
    ["Settings", settingsOf(check) || "-"],
    ...(assertions.length === 0 ? [] : [["Assertions", assertions.join("; ")] as const]),
    ["Retry", retryText(check)],
    ...(rules === undefined ? [] : [["Alert rules", rules.join("; ") || "-"] as const]),
    ["Created", relativeTime(Date.parse(check.createdAt), nowMs)],
    ["Updated", check.updatedAt === null ? "-" : relativeTime(Date.parse(check.updatedAt), nowMs)],
  ] as const;
}
