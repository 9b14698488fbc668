/** What a package consists of, as a CycloneDX document: npm tells of the dependencies, the build of what is inlined. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./ensure.mjs";
import { npm } from "./pack.mjs";

/**
 * Returns the document of a package.
 * @param packed what `packAll` tells of it
 */
export async function sbomOf({ manifest, dependencies, inlined }) {
  const folder = mkdtempSync(join(tmpdir(), "svc-sbom-"));
  try {
    const { bundleDependencies: _, ...own } = manifest;
    const lock = { name: own.name, version: own.version, lockfileVersion: 3, requires: true };
    writeJson(join(folder, "package.json"), own);
    writeJson(join(folder, "package-lock.json"), {
      ...lock,
      packages: { "": own, ...asFound(dependencies) },
    });
    const args = ["sbom", "--sbom-format=cyclonedx", "--sbom-type=application", "--package-lock-only"];
    const document = JSON.parse(await npm(args, folder));
    // npm tells the folder's name.
    document.metadata.component.name = own.name;
    return { ...document, components: [...document.components, ...inlinedComponents(document, inlined)] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Ranges go: the lockfile's overrides break some, and the document tells what is there, not what was asked for. */
function asFound(dependencies) {
  const anyVersion = (ranges = {}) => Object.fromEntries(Object.keys(ranges).map((name) => [name, "*"]));
  const entries = Object.entries(dependencies).map(([path, entry]) => [
    path,
    {
      ...entry,
      dependencies: anyVersion(entry.dependencies),
      peerDependencies: anyVersion(entry.peerDependencies),
    },
  ]);
  return Object.fromEntries(entries);
}

/** The inlined packages that are not dependencies as well. */
function inlinedComponents({ components }, folders) {
  const lock = readJson(join(root, "package-lock.json"));
  const known = new Set(components.map((component) => component["bom-ref"]));
  const ofInlined = folders.map((folder) => {
    const { name, version, license } = readJson(join(root, folder, "package.json"));
    return inlinedComponent({ name, version, license, integrity: lock.packages[folder].integrity });
  });
  return ofInlined.filter((component) => {
    const isNew = !known.has(component["bom-ref"]);
    known.add(component["bom-ref"]);
    return isNew;
  });
}

function inlinedComponent({ name, version, license, integrity = "" }) {
  const [algorithm, digest = ""] = integrity.split("-");
  return {
    "bom-ref": `${name}@${version}`,
    type: "library",
    name,
    version,
    scope: "required",
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    properties: [{ name: "cdx:npm:package:bundled", value: "true" }],
    hashes:
      algorithm === "sha512"
        ? [{ alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") }]
        : [],
    licenses: typeof license === "string" ? [{ license: { name: license } }] : [],
  };
}

function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}

function writeJson(path, content) {
  writeFileSync(path, JSON.stringify(content));
}
