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

module.exports = {
  forbidden: [
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
    {
      name: "not-to-test-from-product",
      severity: "error",
      from: {
        path: "^(proto|contract|egress|openapi|probes|control-plane|runner-agent|cli)/",
        pathNot: "\\.test\\.ts$",
      },
      to: { path: "^test/|\\.test\\.ts$" },
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
