/** Builds the dashboard's files, and beside each its compressed forms, so that serving them compresses nothing. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { bundledFile, writeBundled } from "./bundled-packages.mjs";
import { root } from "./ensure.mjs";

const FOLDER = "control-plane/dist/dashboard";
/** File that exists when the dashboard is built. */
export const DASHBOARD_OUTPUT = `${FOLDER}/index.html`;
/** Size in bytes below which a compressed form saves no packet. */
const COMPRESSED_FROM_BYTES = 1024;

/** Builds the dashboard into the control plane's `dist`. */
export async function buildDashboard() {
  const vite = await import("vite");
  const inputs = {};
  // A worker is built by itself, with plugins of its own.
  const noteInputs = () => ({
    name: "note-inputs",
    transform(_code, id) {
      inputs[relative(root, id)] = {};
    },
  });
  await vite.build({
    configFile: join(root, "dashboard/vite.config.ts"),
    plugins: [noteInputs()],
    worker: { plugins: () => [noteInputs()] },
  });
  writeBundled(bundledFile("control-plane/dist", "dashboard"), { inputs, outputs: {} });
  for (const name of readdirSync(join(root, FOLDER), { recursive: true })) {
    if (!/\.(js|css|svg|html)$/.test(name)) continue;
    const file = join(root, FOLDER, name);
    const bytes = readFileSync(file);
    if (bytes.length < COMPRESSED_FROM_BYTES) continue;
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(
      `${file}.br`,
      brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    );
  }
}
