/** Every setting of the programs, by its variable, against what documents it and what deploy/ does with it. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { OTEL_VARIABLES } from "@svc/otel";
import { describe, expect, it } from "vitest";
import { ROOT } from "../harness/control-plane.ts";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const matches = (text: string, pattern: RegExp) => [
  ...new Set([...text.matchAll(pattern)].map(([, name = ""]) => name)),
];

const ofControlPlane = [
  ...matches(read("control-plane/src/platform/config.ts"), /setting\(\s*"([A-Z0-9_]+)"/g),
  ...matches(read("control-plane/src/platform/team-caps.ts"), /variable: "([A-Z0-9_]+)"/g),
  // Former names, which are still taken.
  ...matches(read("control-plane/src/platform/former-names.ts"), /^ {2}([A-Z0-9_]+): "[A-Z0-9_]+",$/gm),
];
const ofAgent = matches(read("runner-agent/src/base/config.ts"), /^ {2}([A-Z][A-Z_]+): /gm);
const variables = new Set([...ofControlPlane, ...ofAgent]);

/** Variables of compose.yaml itself, which deploy/README.md explains. */
const OF_COMPOSE = ["SVC_PORT", "SVC_AGENTS_PORT", "SVC_CONTROL_PLANE_IMAGE", "SVC_RUNNER_IMAGE"];
const chart = JSON.parse(read("deploy/helm/svc/values.schema.json"));
const namesOf = (part: string) => chart.properties[part].properties.settings.propertyNames.anyOf;
const settingsOf = (part: string): string[] =>
  namesOf(part).flatMap((names: { enum?: string[] }) => names.enum ?? []);

const deployFiles = (readdirSync(join(ROOT, "deploy"), { recursive: true }) as string[])
  .map((name) => join("deploy", name))
  .filter((path) => statSync(join(ROOT, path)).isFile())
  // Pipelines of users, with the command line's variables and their own.
  .filter((path) => !/github-action|gitlab-ci|jenkins/.test(path));

describe("each setting", () => {
  it("is found: these lists are what the programs read", () => {
    expect(ofControlPlane.length).toBeGreaterThan(60);
    expect(ofControlPlane).toEqual(expect.arrayContaining(["DATABASE_URL", "SVC_CAP_CHECKS", "LOG_LEVEL"]));
    expect(ofAgent).toEqual(expect.arrayContaining(["SVC_RUNNER_KEY", "SVC_EGRESS_PRIVATE", "LOG_LEVEL"]));
  });

  it("of the control plane has its row in docs/operating.md, and no row is of none", () => {
    const rows = read("docs/operating.md")
      .split("\n")
      .filter((line) => line.startsWith("| `"));
    const firstCells = rows.map((row) => row.split("|")[1] ?? "").join("\n");
    const documented = matches(firstCells, /`((?:SVC|DATABASE|LOG)_[A-Z0-9_]+)`/g);
    expect([...documented].sort()).toEqual([...ofControlPlane].sort());
  });

  it("of OpenTelemetry's that has an effect stands in docs/operating.md, and the chart takes it", () => {
    const [, section = ""] = read("docs/operating.md").split("### Own logs, metrics and traces over OTLP");
    const [own = ""] = section.split("\n## ");
    const documented = matches(own, /`(OTEL_[A-Z_]+)`/g).filter((name) => name !== "OTEL_");
    expect([...documented].sort()).toEqual([...OTEL_VARIABLES]);
    for (const part of ["controlPlane", "agent"])
      for (const name of OTEL_VARIABLES)
        expect(
          namesOf(part).some(({ pattern }: { pattern?: string }) => pattern && RegExp(pattern).test(name)),
        ).toBe(true);
  });

  it("of the agent stands in its help, and nothing else does", () => {
    const [help = ""] = /const HELP = `[^`]+`/.exec(read("runner-agent/src/cli.ts")) ?? [];
    expect(matches(help, /^ {2}([A-Z][A-Z_]+) /gm).sort()).toEqual([...ofAgent].sort());
  });

  it.each([
    ["controlPlane", ofControlPlane, "control-plane.yaml"],
    ["agent", ofAgent, "agent.yaml"],
  ] as const)("of the %s can be set by the chart, or is what the chart decides", (part, known, template) => {
    const offered = settingsOf(part);
    expect(offered.filter((name) => !known.includes(name))).toEqual([]);
    const image = read(
      `deploy/container/${part === "agent" ? "runner-agent" : "control-plane"}.Containerfile`,
    );
    const decided = [
      ...matches(read(`deploy/helm/svc/templates/${template}`), /- name: ([A-Z][A-Z_]+)$/gm),
      ...matches(image, /([A-Z][A-Z_]+)=/g),
      // The ports are the containers', and agents run in pods of their own.
      ...[
        "SVC_HTTP_PORT",
        "SVC_RUNNER_HOST",
        "SVC_RUNNER_PORT",
        "SVC_EMBEDDED_RUNNER",
        "SVC_RUNNER_HEALTH_PORT",
      ],
    ];
    expect(known.filter((name) => !offered.includes(name) && !decided.includes(name))).toEqual([]);
    // A proxy's headers are the values' business where the chart has an ingress, and somebody else's where it has none.
    expect(offered.filter((name) => decided.includes(name) && name !== "SVC_TRUST_PROXY")).toEqual([]);
  });

  it.each(deployFiles)("that %s names exists", (path) => {
    const named = matches(read(path), /\b((?:SVC|DATABASE)_[A-Z][A-Z_]*[A-Z])\b/g).map((name) =>
      variables.has(name) ? name : name.replace(/_FILE$/, ""),
    );
    const others = /README|compose/.test(path) ? OF_COMPOSE : [];
    expect(named.filter((name) => !variables.has(name) && !others.includes(name))).toEqual([]);
  });
});
