/** The lines by which the made-up members stand in the registries: the whole edit, beside the members' own files. */

/** One member's line in the list of a registry, with the import that it needs; a member of a table needs none. */
export interface RegistryLine {
  /** File of the registry, from the root of the project. */
  registry: string;
  /** The import, for a member that has a file. */
  import?: string;
  /** The entry of the list. */
  entry: string;
}

const CONTROL_PLANE = "control-plane/src";

/** The lines of all made-up members. */
export const REGISTRY_LINES: readonly RegistryLine[] = [
  member("contract/src/assertions/registry.ts", "body-size", "bodySizeAssertion"),
  member("probes/src/assertions/registry.ts", "body-size", "bodySize"),
  words("contract/src/checks/readiness-probes.ts", {
    type: "humans_txt",
    passesWhen: "`/humans.txt` names somebody",
  }),
  member("probes/src/readiness/registry.ts", "humans-txt", "humansTxt"),
  member("contract/src/conditions/registry.ts", "status-code-seen", "statusCodeSeenCondition"),
  member(`${CONTROL_PLANE}/alerting/conditions/registry.ts`, "status-code-seen", "statusCodeSeen"),
  member("contract/src/channels/registry.ts", "balloon", "balloonChannel"),
  member(`${CONTROL_PLANE}/outbox/channels/registry.ts`, "balloon", "balloon"),
  member("contract/src/facts/registry.ts", "greeting", "greetingFact"),
  member(`${CONTROL_PLANE}/results/ingest/facts/registry.ts`, "greeting", "greetingFactStore"),
  member("contract/src/checks/registry.ts", "greeting", "greetingCheck"),
  member("probes/src/registry.ts", "greeting/probe", "greetingProbe"),
  words("contract/src/events/feed.ts", { type: "check.dawdled", when: "a result came in, sooner or later" }),
  member(`${CONTROL_PLANE}/telemetry/feed/sources/registry.ts`, "slow-results", "slowResultSource"),
  words("contract/src/events/telemetry.ts", {
    type: "synthetics.balloon.lost",
    when: "a balloon did not come back",
    severity: "WARN",
  }),
  member(`${CONTROL_PLANE}/telemetry/derived-events/registry.ts`, "balloon-lost", "balloonLost"),
  words("contract/src/events/incident.ts", {
    type: "handed_over",
    when: "someone handed the incident over",
  }),
  member(`${CONTROL_PLANE}/outbox/incident-occasions/registry.ts`, "handed-over", "handedOver"),
  member(`${CONTROL_PLANE}/response/hypothesis/rules/registry.ts`, "full-moon", "fullMoon"),
  words("contract/src/resources/insight-types.ts", {
    type: "too_quiet",
    when: "nobody complains",
    severity: "info",
  }),
  member(`${CONTROL_PLANE}/response/analysis/rules/registry.ts`, "too-quiet", "tooQuiet"),
  {
    registry: "cli/src/program/registry.ts",
    entry: 'entry("monitors praise", "praise a monitor", () => import("../commands/monitors/praise.ts"))',
  },
];

/** The beginning of a list of members: of a family's, or of the command line's table of commands. */
const LIST_START = /^(?:export )?const (?:.*defineFamily\([^[]*|COMMANDS\b.*= )\[/m;

function member(registry: string, file: string, name: string): RegistryLine {
  return { registry, import: `import { ${name} } from "./${file}.ts";`, entry: name };
}

function words(registry: string, entry: Record<string, string>): RegistryLine {
  return { registry, entry: JSON.stringify(entry) };
}

/**
 * Returns the source of a registry with the line added: the import behind the others, the entry at the end of the list.
 * @throws Error when the source has no list
 */
export function withLine(source: string, line: RegistryLine): string {
  const listed = withEntry(source, line);
  if (line.import === undefined) return listed;
  const [last] = [...listed.matchAll(/^(import .*|\} from .*);$/gm)].slice(-1);
  const end = last ? last.index + last[0].length : 0;
  return `${listed.slice(0, end)}\n${line.import}${listed.slice(end)}`;
}

function withEntry(source: string, { registry, entry }: RegistryLine): string {
  const [begin] = LIST_START.exec(source) ?? [];
  const start = begin === undefined ? -1 : source.indexOf(begin) + begin.length - 1;
  let depth = 0;
  for (let at = start; at >= 0 && at < source.length; at++) {
    if (source[at] === "[") depth++;
    if (source[at] === "]" && --depth === 0) {
      const before = source.slice(0, at).trimEnd();
      return `${before}${before.endsWith(",") ? "" : ","} ${entry}${source.slice(at)}`;
    }
  }
  throw new Error(`${registry} has no list of members`);
}
