/** Bundles a source for a child process, next to the package's dependencies, which stay outside. */
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const SOURCE_FOLDER = fileURLToPath(new URL("../src", import.meta.url));

/** @param contents TypeScript whose relative imports start in `src`   @returns the bundle's path and how to remove it */
export async function bundleForChild(
  name: string,
  contents: string,
): Promise<{ path: string; remove: () => void }> {
  const path = fileURLToPath(new URL(`../dist/test-${name}-${process.pid}.mjs`, import.meta.url));
  await build({
    stdin: { contents, resolveDir: SOURCE_FOLDER, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    outfile: path,
    logLevel: "warning",
    plugins: [
      {
        // The workspace's own packages are sources and go in; everything else is found where it is installed.
        name: "external-dependencies",
        setup({ onResolve }) {
          onResolve({ filter: /^[^./]/ }, ({ path: id }) =>
            id.startsWith("@svc/") ? undefined : { path: id, external: true },
          );
        },
      },
    ],
  });
  return { path, remove: () => rmSync(path, { force: true }) };
}
