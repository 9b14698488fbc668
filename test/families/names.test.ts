/**
 * No file names a member of a family but the member's own: product code asks the registry instead. Reads the sources; the
 * names come from the registries. Events are named where they happen, so for them only decisions by name are refused.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  assertionTypes,
  channelTypes,
  checkTypes,
  conditionTypes,
  factTypes,
  feedEventTypes,
  incidentEventTypes,
  insightTypes,
  readinessProbeTypes,
  telemetryEventTypes,
} from "@svc/contract";
import { expect, test } from "vitest";
import { ROOT } from "../harness/control-plane.ts";

interface NamedFamily {
  title: string;
  types: readonly string[];
  /** Beginnings of the paths of the members' own files. */
  own: readonly string[];
  /** True for events, which whoever causes one names. */
  isNamedByCause?: true;
}

const FAMILIES: readonly NamedFamily[] = [
  { ...assertionTypes, own: ["contract/src/assertions/", "probes/src/assertions/"] },
  { ...conditionTypes, own: ["contract/src/conditions/", "control-plane/src/alerting/conditions/"] },
  { ...channelTypes, own: ["contract/src/channels/", "control-plane/src/outbox/channels/"] },
  { ...factTypes, own: ["contract/src/facts/", "control-plane/src/results/ingest/facts/"] },
  {
    ...checkTypes,
    own: ["contract/src/checks/", "probes/src/http-check/", "probes/src/browser/", "probes/src/mcp/"],
  },
  {
    ...readinessProbeTypes,
    own: ["contract/src/checks/readiness-probes.ts", "probes/src/readiness/"],
  },
  {
    ...insightTypes,
    own: ["contract/src/resources/insight-types.ts", "control-plane/src/response/analysis/"],
  },
  {
    ...feedEventTypes,
    own: ["contract/src/events/", "control-plane/src/telemetry/feed/sources/"],
    isNamedByCause: true,
  },
  { ...telemetryEventTypes, own: ["contract/src/events/"], isNamedByCause: true },
  {
    ...incidentEventTypes,
    own: ["contract/src/events/", "control-plane/src/outbox/incident-occasions/"],
    isNamedByCause: true,
  },
];

/** Places that name a member on purpose: file, names, reason. */
const EXCEPTIONS: readonly [file: string, names: readonly string[], reason: string][] = [
  ["cli/src/commands/monitors/create.ts", ["status_code"], "the command makes one kind of monitor"],
  ["contract/src/checks/http.ts", ["status_code"], "the monitor that svc init writes"],
  ["contract/src/conditions/baseline-anomaly.ts", ["response_time"], "a metric of the same name"],
  ["control-plane/src/app/first-boot.ts", ["http", "status_code"], "the example check of a first start"],
  ["control-plane/src/app/commands/welcome.ts", ["status_code"], "the example command of a first start"],
  [
    "control-plane/src/checks/api-specs/operation-check.ts",
    ["http", "status_code", "openapi_conformance"],
    "makes HTTP checks from an API spec",
  ],
  [
    "control-plane/src/checks/api-specs/store.ts",
    ["openapi_conformance"],
    "looks for the checks that were made from a spec",
  ],
  [
    "control-plane/src/response/notifications/example.ts",
    ["http", "consecutive_failures"],
    "the example of a notification",
  ],
  ["control-plane/src/platform/http/openapi.ts", ["http"], "a security scheme of OpenAPI"],
  ["control-plane/src/results/mcp-drift/store.ts", ["mcp"], "SQL of the store of the fact"],
  ["contract/src/resources/channel.ts", ["webhook"], "REST names the one channel type that takes templates"],
];

const tracked = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .stdout.trim()
  .split("\n")
  .filter((file) =>
    /^(contract|egress|openapi|probes|control-plane|runner-agent|cli)\/src\/.*\.tsx?$/.test(file),
  )
  .filter((file) => !/\.test\.tsx?$|\/migrations\//.test(file) && existsSync(join(ROOT, file)));
const sources = tracked.map((file) => ({
  file,
  code: withoutComments(readFileSync(join(ROOT, file), "utf8")),
}));

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "");
}

/**
 * Returns the pattern of a place that names the member. A name with `_` or `.` is one wherever it is quoted; a word of
 * everyday language is one where it is the value of a type or a kind. Names of events are refused where something is decided
 * by them.
 */
function patternOf(name: string, isNamedByCause: boolean): RegExp {
  const quoted = `["'\`]${name.replaceAll(".", "\\.")}["'\`]`;
  const compared = `(?:type|kind|eventType|eventName)\\)? (?:===|!==) ${quoted}`;
  const isPlainWord = !/[_.]/.test(name);
  if (isNamedByCause) return new RegExp(isPlainWord ? NEVER : `${compared}|case ${quoted}:`);
  if (isPlainWord)
    return new RegExp(`\\btype: ${quoted}|\\btype = ${quoted}|literal\\(${quoted}\\)|${compared}`);
  return new RegExp(quoted);
}

/** Events such as `closed` have the names of states, by which much is decided. */
const NEVER = "(?!)";

function placesOf(family: NamedFamily): string[] {
  return family.types.flatMap((name) => {
    const pattern = patternOf(name, family.isNamedByCause ?? false);
    return sources
      .filter(({ file, code }) => pattern.test(code) && !isOwnFile(file, name) && !isException(file, name))
      .map(({ file }) => `${file} names ${name}`);
  });
}

/** True for a file of any family that has a member of this name: a few names are those of members of two. */
function isOwnFile(file: string, name: string): boolean {
  return FAMILIES.some(({ types, own }) => types.includes(name) && own.some((path) => file.startsWith(path)));
}

function isException(file: string, name: string): boolean {
  return EXCEPTIONS.some(([where, names]) => where === file && names.includes(name));
}

test.each(FAMILIES.map((family) => [family.title, family] as const))(
  "no file names a member of the family %s but its own",
  (_title, family) => {
    expect(placesOf(family)).toEqual([]);
  },
);

test("every exception is needed", () => {
  const families = FAMILIES.filter(({ isNamedByCause }) => !isNamedByCause);
  const unneeded = EXCEPTIONS.flatMap(([file, names]) =>
    names
      .filter((name) => {
        const code = sources.find((source) => source.file === file)?.code ?? "";
        return !families.some(({ types }) => types.includes(name) && patternOf(name, false).test(code));
      })
      .map((name) => `${file}: ${name}`),
  );
  expect(unneeded).toEqual([]);
});

test.each([
  ["webhook", 'if (channel.type === "webhook") return;'],
  ["http", 'const check = { type: "http" };'],
  ["mcp", "WHERE c.type = 'mcp'"],
  ["status_code", 'new Set(["status_code"])'],
])("a place that names %s is found: %s", (name, code) => {
  expect(code).toMatch(patternOf(name, false));
});

test.each([
  ["http", 'reachableUrl(address, port, "http")'],
  ["tls", 'newest.category === "tls"'],
  ["email", 'form.get("email")'],
])("the word %s of everyday language is left alone: %s", (name, code) => {
  expect(code).not.toMatch(patternOf(name, false));
});
