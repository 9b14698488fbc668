/** The files of product code: the `src` folders of all packages without tests. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./control-plane.ts";

const PACKAGES = ["contract", "egress", "openapi", "probes", "control-plane", "runner-agent", "cli"];

/** Returns their paths, relative to the project's root, in order. */
export function readProductFiles(): string[] {
  return PACKAGES.flatMap((name) =>
    readdirSync(join(ROOT, name, "src"), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.(tsx?|mjs)$/.test(file) && !/\.test\.tsx?$/.test(file))
      .map((file) => join(name, "src", file))
      .sort(),
  );
}
