/** The npm package of the agent that belongs to this control plane, for machines that can't get one elsewhere. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { VERSION } from "./version.ts";

/** A package's file, and where the service offers it. */
export interface AgentPackage {
  /** Absolute path of the tarball. */
  file: string;
  /** Path below the service's URL. */
  path: string;
}

/** Folders that may hold it: that of an installed control plane, and what `npm run pack` makes in a checkout. */
const FOLDERS = import.meta.url.endsWith(".ts")
  ? ["../../../release/"]
  : ["../agent-package/", "../../release/"];

/** Returns the agent's package of this version; undefined in a checkout where none was packed. */
export function findAgentPackage(): AgentPackage | undefined {
  const name = `svc-runner-agent-${VERSION}.tgz`;
  const file = FOLDERS.map((folder) => fileURLToPath(new URL(folder + name, import.meta.url))).find((path) =>
    existsSync(path),
  );
  return file === undefined ? undefined : { file, path: `/install/${name}` };
}
