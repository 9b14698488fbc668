/** The one direction dependencies may point: contract <- egress <- probes <- runner-agent; proto at the side;
 *  nothing imports control-plane or runner-agent. */
const only = (from, allowed) => ({
  name: `${from}-imports-only`,
  comment: `${from} may import only: ${allowed.join(", ") || "nothing of ours"}`,
  severity: "error",
  from: { path: `^${from}/` },
  to: {
    path: "^(proto|contract|egress|openapi|probes|control-plane|runner-agent|cli|test)/",
    pathNot: `^(${[from, ...allowed].join("|")})/`,
  },
});

/**
 * Layers of a package's `src`, lower ones first: a layer may import itself and those before it, types included. Files
 * directly in `src` stand above all layers.
 */
const layers = (folder, names) =>
  names.map((name, index) => ({
    name: `${folder}-${name}-imports-no-layer-above`,
    comment: `${folder}/src/${name} may import only: ${[...names.slice(0, index), name].join(", ")}`,
    severity: "error",
    from: { path: `^${folder}/src/${name}/`, pathNot: "\\.test\\.tsx?$" },
    to: {
      path: `^${folder}/src/`,
      pathNot: `^${folder}/src/(${[...names.slice(0, index), name].join("|")})/`,
    },
  }));

/** Layers of probes/src, the lowest first. A file imports from its own layer and from lower ones, types included. */
const PROBES_LAYERS = [
  "base",
  "run",
  "http",
  "assertions",
  "http-attempt",
  "personas",
  "readiness",
  "(http-check|mcp|browser)",
  "[a-z-]+\\.ts",
];
const probesLayers = PROBES_LAYERS.slice(0, -1).map((layer, index) => ({
  name: `probes-${layer}-imports-no-higher-layer`,
  comment: "The order of the layers is in PROBES_LAYERS. Hand the thing in from above, or move it down.",
  severity: "error",
  from: { path: `^probes/src/${layer}/`, pathNot: "\\.test\\.ts$" },
  to: { path: `^probes/src/(${PROBES_LAYERS.slice(index + 1).join("|")})` },
}));
/** A check type is a folder of its own; what two of them share moves down. */
const probesTypes = {
  name: "probes-check-types-are-apart",
  severity: "error",
  from: { path: "^probes/src/(http-check|mcp|browser)/", pathNot: "\\.test\\.ts$" },
  to: { path: "^probes/src/(http-check|mcp|browser)/", pathNot: "^probes/src/$1/" },
};
const probesCircles = {
  name: "probes-no-circles",
  comment: "Also between types: a circle means that two files hold one idea, or one file holds two.",
  severity: "error",
  from: { path: "^probes/src/" },
  to: { circular: true },
};

/** Rules for rooms of one package: a room imports only itself and the rooms listed for it. */
const room = (source, name, allowed) => ({
  name: `${source.replace("/src", "")}-${name}-imports-only`,
  comment: `${source}/${name} may import of its package only: ${[name, ...allowed].join(", ")}`,
  severity: "error",
  from: { path: `^${source}/${name}/`, pathNot: "\\.test\\.ts$" },
  to: {
    path: `^${source}/`,
    pathNot: `^${source}/(${[name, ...allowed].join("|")})/`,
  },
});

/** Circles, those of types included, in packages that have none. */
const noCircles = (source) => ({
  name: `${source.replace("/src", "")}-no-circles`,
  comment: "A circle means two files hold one idea, or one file holds two; of types as well.",
  severity: "error",
  from: { path: `^${source}/` },
  to: { circular: true },
});

/**
 * The agent, lower rooms first. The parts (session, slots, spool, specs, artifacts, health) don't know each other; `agent`
 * joins them, and the files beside the rooms (start-agent, cli, main) compose and start it.
 */
const AGENT = "runner-agent/src";
const agentTools = ["base", "model", "disk", "network"];
const agentRules = [
  room(AGENT, "base", []),
  room(AGENT, "model", []),
  room(AGENT, "clock", ["base"]),
  room(AGENT, "disk", ["base", "model"]),
  room(AGENT, "network", ["base"]),
  ...["session", "slots", "spool", "specs", "artifacts", "health"].map((name) =>
    room(AGENT, name, agentTools),
  ),
  room(AGENT, "agent", [...agentTools, "clock", "session", "slots", "spool", "specs", "artifacts", "health"]),
  noCircles(AGENT),
];

/** OpenAPI documents: reading them, judging responses by them, doing both in worker threads. */
const OPENAPI = "openapi/src";
const openapiRules = [
  room(OPENAPI, "document", []),
  room(OPENAPI, "conformance", ["document"]),
  room(OPENAPI, "worker", ["document", "conformance"]),
  noCircles(OPENAPI),
  noCircles("egress/src"),
];

/** The contract: its layers, lower ones first. */
const CONTRACT = "contract/src";
const contractRules = [
  ...layers("contract", [
    "base",
    "facts",
    "assertions",
    "conditions",
    "channels",
    "checks",
    "events",
    "resources",
    "config",
    "wire",
    "api",
  ]),
  noCircles(CONTRACT),
];

/** The command line: its layers, lower ones first, and what else keeps them apart. */
const cliRules = [
  ...layers("cli", [
    "output",
    "runtime",
    "lookup",
    "resources",
    "config",
    "deploy",
    "pull",
    "packs",
    "local-test",
    "live-view",
    "commands",
    "program",
  ]),
  {
    name: "cli-resources-stand-side-by-side",
    comment: "A convenience that two resources need moves down to output, runtime or lookup.",
    severity: "error",
    from: { path: "^cli/src/resources/([^/]+)/" },
    to: { path: "^cli/src/resources/", pathNot: "^cli/src/resources/$1/" },
  },
  {
    name: "cli-commands-stand-side-by-side",
    comment: "Code that two commands share is not a command: it moves to a lower layer.",
    severity: "error",
    from: { path: "^cli/src/commands/" },
    to: { path: "^cli/src/commands/" },
  },
  {
    name: "cli-no-cycles-of-types",
    comment: "Types go round in circles as little as code does.",
    severity: "error",
    from: { path: "^cli/src/" },
    to: { circular: true },
  },
  {
    name: "cli-test-support-is-for-tests",
    severity: "error",
    from: { path: "^cli/src/", pathNot: "\\.test\\.tsx?$" },
    to: { path: "^cli/test-support/" },
  },
];

module.exports = {
  forbidden: [
    ...layers("control-plane", [
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
      "app",
    ]),
    ...probesLayers,
    probesTypes,
    probesCircles,
    only("proto", []),
    only("contract", []),
    only("egress", ["contract"]),
    only("openapi", ["contract"]),
    only("probes", ["contract", "egress", "openapi"]),
    only("runner-agent", ["contract", "egress", "openapi", "probes", "proto"]),
    only("cli", ["contract", "egress", "openapi", "probes"]),
    only("control-plane", ["contract", "egress", "openapi", "proto"]),
    {
      name: "no-cycles",
      comment: "A cycle means two files hold one idea, or one file holds two.",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    ...agentRules,
    ...contractRules,
    ...openapiRules,
    {
      name: "not-to-test-from-product",
      severity: "error",
      from: {
        path: "^(proto|contract|egress|openapi|probes|control-plane|runner-agent|cli)/",
        pathNot: "/test-support/|\\.test\\.ts$",
      },
      to: { path: "^test/|/test-support/|\\.test\\.ts$" },
    },
    ...cliRules,
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
