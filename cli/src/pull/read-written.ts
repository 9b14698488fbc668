/** Reads the files of a config that is about to be written, as a deploy would, in a temporary folder. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CONFIG_FILE, type ConfigFormat } from "@svc/as-code";
import type { Desired } from "@svc/as-code/config";
import type { Secrets } from "@svc/as-code/plan";
import { readConfig } from "../config/read-config.ts";
import { writeFileWhole } from "../config/write-config.ts";
import type { Context } from "../runtime/context.ts";

/** The config's layout, and the values of its placeholders. */
export interface WrittenConfig {
  context: Context;
  format: ConfigFormat;
  /** Name of the single file. */
  fileName: string;
  /** Values by environment variable. */
  secrets: Readonly<Record<string, string>>;
  /** Gets every value that a placeholder resolves to. */
  known: Secrets;
}

/**
 * Returns what the files describe.
 * @param files texts by path, relative to the folder of the config
 * @throws CliError that lists everything wrong
 */
export function readWritten(
  files: ReadonlyMap<string, string>,
  { context: { out, system }, format, fileName, secrets, known }: WrittenConfig,
): Desired {
  const cwd = mkdtempSync(join(tmpdir(), "svc-config-"));
  try {
    for (const [path, text] of files)
      writeFileWhole(join(cwd, format === "file" && path === fileName ? CONFIG_FILE : path), text);
    return readConfig({
      system: { cwd, env: { ...system.env, ...secrets } },
      out: { secrets: known, warn: (text) => out.warn(known.redact(text)), text: (value) => out.text(value) },
    });
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
