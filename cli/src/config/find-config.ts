/** Finds the config in a folder: the file `svc.config.yaml`, or the folder `svc.config/`. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_FILE, CONFIG_FOLDER, type ConfigFormat } from "@svc/as-code";
import { CliError } from "../runtime/cli-error.ts";
import { shownPath } from "../runtime/paths.ts";
import { isFolder } from "./read-text.ts";

/** A config that exists: its layout, and the path of the file or folder. */
export interface FoundConfig {
  format: ConfigFormat;
  path: string;
}

/** @throws CliError when there is no config, or one in both layouts */
export function getConfig(cwd: string): FoundConfig {
  const found = findConfig(cwd);
  if (found) return found;
  throw new CliError("general_error", `there is no ${CONFIG_FILE} here`, {
    hint: "Run: svc init   (or svc pull, to begin with what is deployed)",
  });
}

/** @throws CliError when there is a config in both layouts */
export function findConfig(cwd: string): FoundConfig | undefined {
  const file = [CONFIG_FILE, "svc.config.yml"].map((name) => join(cwd, name)).find(existsSync);
  const folder = join(cwd, CONFIG_FOLDER);
  if (file && isFolder(folder))
    throw new CliError("general_error", `there are both ${shownPath(cwd, file)} and ${CONFIG_FOLDER}/`, {
      hint: "Keep one of them",
    });
  if (file) return { format: "file", path: file };
  return isFolder(folder) ? { format: "directory", path: folder } : undefined;
}
