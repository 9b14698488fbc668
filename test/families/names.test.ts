/**
 * No file names a member of a family but the member's own: product code asks the registry instead. Reads the sources; the
 * names come from the registries. Events are named where they happen, so for them only decisions by name are refused.
 * Nor does a file import a member, but the registry and the files of the member's folder. Types may be imported.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
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
import { readProjectFiles } from "../harness/project-files.ts";

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
  { ...checkTypes, own: ["contract/src/checks/", ...foldersOfProbes()] },
  {
    ...readinessProbeTypes,
    own: ["contract/src/checks/readiness-probes.ts", "probes/src/readiness/"],
  },
  {
    ...insightTypes,
    own: [
      "contract/src/resources/insight-types.ts",
      "control-plane/src/response/analysis/",
      "control-plane/src/response/failures/",
    ],
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

/** Returns the folders of the check types: those with a probe. */
function foldersOfProbes(): string[] {
  return readdirSync(join(ROOT, "probes/src"))
    .filter((folder) => existsSync(join(ROOT, "probes/src", folder, "probe.ts")))
    .map((folder) => `probes/src/${folder}/`);
}

/** Places that name a member on purpose: file, names, reason. */
const EXCEPTIONS: readonly [file: string, names: readonly string[], reason: string][] = [
  ["cli/src/commands/monitors/create.ts", ["status_code"], "the command makes one kind of monitor"],
  ["contract/src/checks/http.ts", ["status_code"], "the monitor that svc init writes"],
  ["contract/src/checks/multistep.ts", ["status_code"], "the monitor that svc init writes"],
  ["contract/src/base/baseline-metrics.ts", ["response_time"], "a metric of the same name"],
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
    "control-plane/src/status-pages/deliveries/deliver.ts",
    ["email"],
    "a way of subscribing to a status page, which has the name of a channel type",
  ],
  [
    "control-plane/src/status-pages/deliveries/delivery-store.ts",
    ["email"],
    "a way of subscribing to a status page, which has the name of a channel type",
  ],
  [
    "control-plane/src/status-pages/subscribers/change-subscribers.ts",
    ["webhook"],
    "a way of subscribing to a status page, which has the name of a channel type",
  ],
  [
    "control-plane/src/status-pages/subscribers/store.ts",
    ["webhook"],
    "a way of subscribing to a status page, which has the name of a channel type",
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

const tracked = readProjectFiles()
  .filter((file) =>
    /^(contract|egress|openapi|probes|control-plane|runner-agent|cli)\/src\/.*\.tsx?$/.test(file),
  )
  .filter((file) => !/\.test\.tsx?$|\/migrations\//.test(file));
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

function usesOf(family: NamedFamily): string[] {
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
    expect(usesOf(family)).toEqual([]);
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

/** Imports of members on purpose: file, names, reason. */
const IMPORT_EXCEPTIONS: readonly [file: string, names: readonly string[], reason: string][] = [
  [
    "contract/src/index.ts",
    ["browserConfigSchema", "httpConfigSchema", "mcpConfigSchema"],
    "tests and benchmarks complete configurations by them",
  ],
  ["contract/src/index.ts", ["httpCheck"], "svc monitors create and checks of API specs make HTTP checks"],
  [
    "control-plane/src/alerting/evaluation/new-results.ts",
    ["tlsFactStore"],
    "a certificate that changed is what conditions at results wait for",
  ],
  [
    "control-plane/src/alerting/slos/generated-rules.ts",
    ["burnRateCondition"],
    "an SLO generates rules with this one condition",
  ],
  [
    "control-plane/src/telemetry/certificates/track-certificates.ts",
    ["tlsFactStore"],
    "tracks certificates, which only TLS facts hold",
  ],
];

/** A value that one file takes from another of its package, by import or by export. */
interface ImportedValue {
  file: string;
  /** Path of the other file. */
  from: string;
  /** `*` for all that it exports. */
  name: string;
}

/** Returns the values that the file takes from other files of its package; types are left out. */
function importedValues({ file, code }: { file: string; code: string }): ImportedValue[] {
  const pattern = /^(?:import|export) (?!type )(\*|\{[^}]*\}) from "(\.[^"]+)";/gm;
  return [...code.matchAll(pattern)].flatMap(([, names = "", path = ""]) =>
    names
      .replace(/[{}]/g, "")
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && !name.startsWith("type "))
      .map((name) => ({ file, from: join(dirname(file), path), name: name.replace(/ as .*/, "") })),
  );
}

/** Returns the files of the members that the registry lists. */
function filesOfMembers({ file, code }: { file: string; code: string }): string[] {
  const [, list = ""] = /defineFamily\([^[]*\[([^\]]*)\]/.exec(code) ?? [];
  const listed = new Set(list.split(",").map((name) => name.trim().replace(/^\.\.\./, "")));
  return importedValues({ file, code })
    .filter(({ name }) => listed.has(name))
    .map(({ from }) => from);
}

const memberFiles = new Set(
  sources.filter(({ code }) => code.includes("defineFamily(")).flatMap(filesOfMembers),
);

test("the members' files of each family are known", () => {
  const folders = new Set([...memberFiles].map((file) => dirname(file)));
  expect([...folders]).toEqual(
    expect.arrayContaining([
      "contract/src/assertions",
      "contract/src/conditions",
      "contract/src/channels",
      "contract/src/checks",
      "contract/src/facts",
      "probes/src/assertions",
      "probes/src/readiness",
      "control-plane/src/alerting/conditions",
      "control-plane/src/outbox/channels",
      "control-plane/src/outbox/incident-occasions",
      "control-plane/src/response/analysis/rules",
      "control-plane/src/response/hypothesis/rules",
      "control-plane/src/results/ingest/facts",
      "control-plane/src/telemetry/feed/sources",
    ]),
  );
});

/** Members that whoever causes them imports: events are recorded where they happen. */
const CAUSED = "control-plane/src/telemetry/derived-events/";

/**
 * Returns the imports of members from outside the members' folders. A registry beside the folders of its members lists
 * them.
 */
function importsOfMembers(): ImportedValue[] {
  const isRegistry = new Map(sources.map(({ file, code }) => [file, code.includes("defineFamily(")]));
  return sources
    .flatMap(importedValues)
    .filter(
      ({ file, from }) =>
        memberFiles.has(from) &&
        !from.startsWith(CAUSED) &&
        dirname(from) !== dirname(file) &&
        !isRegistry.get(file),
    );
}

test("no file imports a member but its registry and its folder", () => {
  const isAllowed = ({ file, name }: ImportedValue) =>
    IMPORT_EXCEPTIONS.some(([where, names]) => where === file && names.includes(name));
  const refused = importsOfMembers().filter((imported) => !isAllowed(imported));
  expect(refused.map(({ file, name, from }) => `${file} imports ${name} of ${from}`)).toEqual([]);
});

test("every exception for an import is needed", () => {
  const imports = importsOfMembers();
  const unneeded = IMPORT_EXCEPTIONS.flatMap(([where, names]) =>
    names
      .filter((wanted) => !imports.some(({ file, name }) => file === where && name === wanted))
      .map((name) => `${where}: ${name}`),
  );
  expect(unneeded).toEqual([]);
});

test.each([
  ['import { type Limits, tlsFactStore } from "./tls.ts";', ["tlsFactStore"]],
  ['export * from "./tls.ts";', ["*"]],
  ['export type { TlsFacts } from "./tls.ts";', []],
])("the values that %s takes are seen", (code, names) => {
  expect(importedValues({ file: "contract/src/a.ts", code }).map(({ name }) => name)).toEqual(names);
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
