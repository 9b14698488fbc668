/**
 * The Helm chart and the manifests of deploy/kubernetes, without Helm or a cluster: what was rendered is what the sources are now, and
 * Kubernetes' own schemas know every field of it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { ROOT } from "../harness/control-plane.ts";

const RENDERED = join(ROOT, "deploy/helm/rendered");
const MANIFESTS = join(ROOT, "deploy/kubernetes");

/** A Kubernetes object, as far as the tests look at it. */
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: its shape depends on its kind
  spec: any;
}

const documentsOf = (path: string) =>
  parseAllDocuments(readFileSync(path, "utf8"))
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);

const rendered = new Map(
  readdirSync(RENDERED)
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => [name.replace(".yaml", ""), documentsOf(join(RENDERED, name))]),
);
const ofVariant = (name: string) => rendered.get(name) as Manifest[];
const manifests = readdirSync(MANIFESTS).flatMap((name) => documentsOf(join(MANIFESTS, name)));

/** Packages with the schemas of the groups that Kubernetes itself does not have. */
const SCHEMAS_OF: Record<string, string> = {
  "postgresql.cnpg.io/v1": "@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1",
  "monitoring.coreos.com/v1": "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1",
};
/** CloudNativePG has it since 1.25; the package's schema is older. */
const NEWER_THAN_SCHEMA = '"dataDurability": "preferred"';
const packageOf = ({ apiVersion }: Manifest) => SCHEMAS_OF[apiVersion] ?? `kubernetes-models/${apiVersion}`;

/** Checks objects against the types made from the schemas, which, unlike an API server, refuse unknown fields. */
function typeErrors(objects: readonly Manifest[]): string[] {
  const path = join(ROOT, "test/docs/objects.ts");
  const lines = objects.map(
    (one, i) =>
      `export const object${i}: import("${packageOf(one)}").I${one.kind} = ${JSON.stringify(one, null, 1)};`,
  );
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  const text = lines.join("\n");
  host.fileExists = (name) => name === path || fileExists.call(host, name);
  host.readFile = (name) => (name === path ? text : readFile.call(host, name));
  host.getSourceFile = (name, ...rest) =>
    name === path ? ts.createSourceFile(name, text, rest[0]) : getSourceFile.call(host, name, ...rest);
  const program = ts.createProgram([path], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText, start = 0 }) => {
    const before = text.slice(0, start).split("\n");
    return `${text.split("\n")[before.length - 1]?.trim()}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}

/** Checks an object against its schema, and returns what is wrong. */
async function schemaErrors(object: Manifest): Promise<string | undefined> {
  const models = await import(packageOf(object));
  try {
    new models[object.kind](object).validate();
    return undefined;
  } catch (error) {
    return `${object.kind} ${object.metadata.name}: ${(error as Error).message}`;
  }
}

const known = [...rendered.values()].flat().concat(manifests.filter(({ kind }) => kind !== "ScaledObject"));

describe("the chart", () => {
  it("was rendered from what it is now: run npm run chart with Helm 3 after a change", async () => {
    const { hashOfSources } = await import(join(ROOT, "scripts/render-chart.mjs"));
    expect(readFileSync(join(RENDERED, "sources.sha256"), "utf8").trim()).toBe(hashOfSources());
  });

  it("has the version of the packages", () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const chart = readFileSync(join(ROOT, "deploy/helm/svc/Chart.yaml"), "utf8");
    expect(chart).toContain(`\nversion: ${version}\nappVersion: ${version}\n`);
  });

  it("and the manifests have only fields that Kubernetes knows, each of its type", () => {
    expect(known.length).toBeGreaterThan(30);
    expect(typeErrors(known).filter((one) => !one.startsWith(NEWER_THAN_SCHEMA))).toEqual([]);
  });

  it("and the manifests keep to Kubernetes' schemas", async () => {
    const wrong = await Promise.all(known.map(schemaErrors));
    expect(wrong.filter((one) => one !== undefined)).toEqual([]);
  });

  it("would be refused with a field that nobody knows, or a number for a text", () => {
    const [first] = ofVariant("default").filter(({ kind }) => kind === "Deployment") as [Manifest];
    const misspelt = structuredClone(first);
    misspelt.spec.template.spec.containers[0].readinessProb = {};
    expect(typeErrors([misspelt]).join()).toContain("readinessProb");
    const mistyped = structuredClone(first);
    mistyped.spec.template.spec.containers[0].env.push({ name: "A", value: 1 });
    expect(typeErrors([mistyped]).join()).toContain("'number' is not assignable to type 'string'");
  });

  it("selects the pods that it makes, in every variant", () => {
    for (const [name, objects] of rendered) {
      const pods = objects.flatMap(({ spec }) => (spec?.template ? [spec.template.metadata.labels] : []));
      const selectors = objects.flatMap(({ kind, spec }) => {
        if (kind === "Service") return [spec.selector];
        if (kind === "PodDisruptionBudget") return [spec.selector.matchLabels];
        if (kind === "NetworkPolicy" && !spec.podSelector.matchLabels["cnpg.io/cluster"])
          return [spec.podSelector.matchLabels];
        return [];
      });
      expect(selectors.length, name).toBeGreaterThan(2);
      for (const selector of selectors)
        expect(
          pods.filter((labels) => Object.entries(selector).every(([key, value]) => labels[key] === value)),
          `${name}: ${JSON.stringify(selector)}`,
        ).toHaveLength(1);
    }
  });

  it("gives no pod root, rights, a writable root or a token of the cluster", () => {
    for (const { spec } of [...rendered.values()].flat().filter(({ spec }) => spec?.template)) {
      const pod = spec.template.spec;
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 65532 },
      });
      for (const { securityContext } of pod.containers)
        expect(securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
    }
  });

  it("waits for a pod as long as its program takes to end", () => {
    const graceOf = (component: string) =>
      ofVariant("default").find(
        ({ spec, metadata }) =>
          spec?.template && metadata.labels["app.kubernetes.io/component"] === component,
      )?.spec.template.spec.terminationGracePeriodSeconds;
    const unit = (name: string) =>
      Number(/TimeoutStopSec=(\d+)/.exec(readFileSync(join(ROOT, "deploy/systemd", name), "utf8"))?.[1]);
    expect(graceOf("agent")).toBeGreaterThanOrEqual(unit("svc-runner.service"));
    // Its hook waits 5 s before the signal.
    expect(graceOf("control-plane")).toBeGreaterThanOrEqual(unit("svc-control-plane.service") + 5);
  });

  it("takes its volumes, ports and account from the images", () => {
    for (const [component, file] of [
      ["control-plane", "control-plane"],
      ["agent", "runner-agent"],
    ]) {
      const image = readFileSync(join(ROOT, `deploy/container/${file}.Containerfile`), "utf8");
      const [pod] = ofVariant("default")
        .filter(
          ({ spec, metadata }) =>
            spec?.template && metadata.labels["app.kubernetes.io/component"] === component,
        )
        .map(({ spec }) => spec.template.spec);
      const [container] = pod.containers;
      const [, volume] = /^VOLUME (.+)$/m.exec(image) ?? [];
      const [, exposed = ""] = /^EXPOSE (.+)$/m.exec(image) ?? [];
      expect(container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath)).toContain(
        volume,
      );
      expect(
        container.ports.map(({ containerPort }: { containerPort: number }) => String(containerPort)),
      ).toEqual(exposed.split(" "));
      expect(image).toContain(`USER ${pod.securityContext.runAsUser}:${pod.securityContext.runAsGroup}`);
    }
  });
});
