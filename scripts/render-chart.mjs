/**
 * `npm run chart`: lints the Helm chart and renders it into `deploy/helm/rendered`, where tests without Helm look at it, with a hash
 * of what it was rendered from. Wants Helm 3: on the PATH, or where HELM says.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./ensure.mjs";

const CHART = join(root, "deploy/helm/svc");
const RENDERED = join(root, "deploy/helm/rendered");
/** The oldest version that the chart accepts. */
const KUBERNETES = "1.28.0";

/** What is rendered: the values as they are, and every other way through the templates. */
export const VARIANTS = {
  default: [],
  "own-database": [
    "database.existingSecret.name=svc-postgres",
    "secrets.existingSecret=svc-secrets",
    "networkPolicy.controlPlaneFrom[0].namespaceSelector.matchLabels.kubernetes\\.io/metadata\\.name=ingress",
    "networkPolicy.agentHealthFrom[0].namespaceSelector.matchLabels.kubernetes\\.io/metadata\\.name=monitoring",
    "controlPlane.publicUrl=https://svc.example.com",
    "controlPlane.ingress.enabled=true",
    "controlPlane.ingress.className=nginx",
    "controlPlane.ingress.host=svc.example.com",
    "controlPlane.ingress.tlsSecret=svc-tls",
    "controlPlane.ingress.annotations.example\\.com/a=b",
    "controlPlane.runnerTlsSecret=svc-runner-tls",
    "controlPlane.runnerService.type=LoadBalancer",
    "controlPlane.runnerService.annotations.example\\.com/a=b",
    "controlPlane.settings.SVC_RETENTION_DAYS=90",
    "controlPlane.settings.SVC_CAP_SPEC_BYTES=268435456",
    "controlPlane.settingsSecrets[0]=svc-mail",
    "controlPlane.nodeSelector.disk=ssd",
    "controlPlane.tolerations[0].operator=Exists",
    "image.pullSecrets[0]=registry",
    "agent.autoscaling.enabled=true",
    "agent.settings.SVC_RUNNER_PROCESSES=2",
    "agent.storage.storageClass=fast",
    "serviceMonitor.enabled=true",
    "serviceMonitor.labels.release=prometheus",
  ],
  "private-agent": [
    "controlPlane.enabled=false",
    "agent.controlPlaneUrl=https://svc.example.com:8081",
    "agent.existingSecret=svc-runner",
    "agent.browser.enabled=true",
    "agent.nodeSelector.disk=ssd",
    "agent.tolerations[0].operator=Exists",
  ],
};

/** Returns the hash of everything that a rendering depends on: the chart's files and this script's variants. */
export function hashOfSources() {
  const files = readdirSync(CHART, { recursive: true })
    .map((name) => join(CHART, name))
    .filter((path) => statSync(path).isFile())
    .sort();
  const hash = createHash("sha256").update(JSON.stringify(VARIANTS));
  for (const path of files)
    hash
      .update(`${relative(CHART, path)}\0`)
      .update(readFileSync(path))
      .update("\0");
  return hash.digest("hex");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) renderAll();

function renderAll() {
  rmSync(RENDERED, { recursive: true, force: true });
  mkdirSync(RENDERED, { recursive: true });
  for (const [name, settings] of Object.entries(VARIANTS)) {
    const set = settings.flatMap((setting) => ["--set", setting]);
    helm("lint", "--strict", "--quiet", CHART, ...set);
    const text = helm("template", "svc", CHART, "--kube-version", KUBERNETES, ...set);
    writeFileSync(join(RENDERED, `${name}.yaml`), withoutSecrets(text));
  }
  writeFileSync(join(RENDERED, "sources.sha256"), `${hashOfSources()}\n`);
}

/** Each rendering makes new secrets, which are nobody's. */
function withoutSecrets(text) {
  return text.replace(/^( {2}(?:secret|runner)-key): [\w+/=]+$/gm, "$1: bWFkZSBhdCB0aGUgaW5zdGFsbGF0aW9u");
}

function helm(...args) {
  return execFileSync(process.env.HELM ?? "helm", args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}
