/**
 * The directions in which an import may point: between packages, between the layers of a package's `src`, and between
 * siblings that must not know each other. Types count as imports. `npm run lint` and `npm test` hold these rules.
 */

const { existsSync, readdirSync } = require("node:fs");
const { join } = require("node:path");

const PROBES = join(__dirname, "probes/src");

/** Folders of the check types: those with a probe. They don't know each other. */
const CHECK_TYPES = readdirSync(PROBES).filter((folder) => existsSync(join(PROBES, folder, "probe.ts")));

/** Imports that each package may make of the others. Nothing imports control-plane, runner-agent or cli. */
const PACKAGES = {
  proto: [],
  contract: [],
  egress: [],
  openapi: ["contract"],
  "as-code": ["contract"],
  otel: [],
  probes: ["contract", "egress", "openapi"],
  "runner-agent": ["contract", "egress", "openapi", "otel", "probes", "proto"],
  "control-plane": ["as-code", "contract", "egress", "openapi", "otel", "proto"],
  cli: ["as-code", "contract", "egress", "openapi", "probes"],
  dashboard: ["contract"],
};

/**
 * Layers of each package's `src`, lower ones first: a layer may import itself and those before it. Folders in one entry
 * stand side by side and may not import each other. Files directly in `src` stand above all layers.
 */
const LAYERS = {
  contract: [
    "base",
    "facts",
    "assertions",
    "conditions",
    "channels",
    "checks",
    "events",
    "resources",
    "capacity",
    "config",
    "wire",
    "api",
  ],
  openapi: ["document", "conformance", "worker"],
  probes: [
    "base",
    "run",
    "connection",
    "http",
    "assertions",
    "measured-run",
    "http-attempt",
    "personas",
    "readiness",
  ],
  "runner-agent": [
    ["base", "model"],
    ["clock", "disk", "network"],
    ["session", "slots", "spool", "specs", "artifacts", "vault", "test-runs", "health"],
    ["agent", "supervisor"],
    "doctor",
  ],
  "control-plane": [
    "platform",
    "accounts",
    "checks",
    "outbox",
    "fleet",
    "results",
    "telemetry",
    "gateway",
    "alerting",
    "response",
    "overview",
    "status-pages",
    "configs",
    "generation",
    "mcp-server",
    "live",
    "dashboard",
    "app",
  ],
  cli: [
    "output",
    "answers",
    "runtime",
    "lookup",
    "resources",
    "config",
    "fragments",
    "deploy",
    "pull",
    "import",
    "packs",
    "local-test",
    "live-view",
    "mcp-bridge",
    "commands",
    "program",
  ],
  dashboard: [
    "preferences",
    ["time", "status"],
    "api",
    "live",
    "ui",
    ["charts", "slots", "evidence", "forms"],
    "shell",
    "pages",
  ],
};

/** Members of a folder that must not know each other, by a pattern of one member's path. */
const SIDE_BY_SIDE = {
  "cli-resources": { folder: "cli/src/resources", member: "[^/]+/" },
  "cli-commands": { folder: "cli/src/commands", member: ".+" },
  "dashboard-pages": { folder: "dashboard/src/pages", member: "[^/]+/" },
};

const TEST_FILES = "/test-support/|\\.test\\.tsx?$";
const anyOf = (names) => `(${names.join("|")})`;
const ourPackages = [...Object.keys(PACKAGES), "test"];

const packageRules = Object.entries(PACKAGES).map(([name, allowed]) => ({
  name: `${name}-imports-only`,
  comment: `${name} may import only: ${allowed.join(", ") || "nothing of ours"}`,
  severity: "error",
  from: { path: `^${name}/` },
  to: { path: `^${anyOf(ourPackages)}/`, pathNot: `^${anyOf([name, ...allowed])}/` },
}));

const layerRules = Object.entries(LAYERS).flatMap(([name, layers]) =>
  layers.flatMap((layer, index) => {
    const lower = layers.slice(0, index).flat();
    return [layer].flat().map((folder) => ({
      name: `${name}-${folder}-imports-no-layer-above`,
      comment: `${name}/src/${folder} may import only: ${[...lower, folder].join(", ")}. Move the thing down, or have it handed in from above.`,
      severity: "error",
      from: { path: `^${name}/src/${folder}/`, pathNot: TEST_FILES },
      to: { path: `^${name}/src/`, pathNot: `^${name}/src/${anyOf([...lower, folder])}/` },
    }));
  }),
);

const checkTypeRules = CHECK_TYPES.map((folder) => ({
  name: `probes-${folder}-is-a-check-type`,
  comment: `A check type may import all layers of probes, and no other check type.`,
  severity: "error",
  from: { path: `^probes/src/${folder}/`, pathNot: TEST_FILES },
  to: { path: "^probes/src/", pathNot: `^probes/src/${anyOf([...LAYERS.probes, folder])}/` },
}));

const siblingRules = Object.entries(SIDE_BY_SIDE).map(([name, { folder, member }]) => ({
  name: `${name}-stand-side-by-side`,
  comment: "A convenience that two of them need moves to a lower layer.",
  severity: "error",
  from: { path: `^${folder}/(${member})`, pathNot: TEST_FILES },
  to: { path: `^${folder}/`, pathNot: `^${folder}/$1` },
}));

module.exports = {
  forbidden: [
    ...packageRules,
    ...layerRules,
    ...checkTypeRules,
    ...siblingRules,
    {
      name: "cli-answers-are-loaded-on-demand",
      comment:
        "Only `svc schema` needs the schemas of answers: name them by an import() in `answers`, so that no other command loads them.",
      severity: "error",
      from: { path: "^cli/src/", pathNot: `^cli/src/answers/|${TEST_FILES}` },
      to: { path: "^cli/src/answers/", dynamic: false, dependencyTypesNot: ["type-only"] },
    },
    {
      name: "no-circles",
      comment:
        "A circle, also one of types alone, means that two files hold one idea, or one file holds two.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-tests-in-product",
      comment: "Product code doesn't import tests, their helpers, or the package of tests.",
      severity: "error",
      from: { path: `^${anyOf(Object.keys(PACKAGES))}/`, pathNot: TEST_FILES },
      to: { path: `^test/|${TEST_FILES}` },
    },
    { name: "no-unresolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(^|/)(dist|node_modules)/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["types", "import", "default", "node"],
    },
  },
};
