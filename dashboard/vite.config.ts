import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

/** The build of the dashboard. Everything lies in files of our own, so that the pages' policy needs no exception. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  logLevel: "warn",
  define: { "process.env.NODE_ENV": '"production"' },
  build: {
    outDir: fileURLToPath(new URL("../control-plane/dist/dashboard/", import.meta.url)),
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    sourcemap: false,
    rolldownOptions: {
      onLog: (level, log, print) => {
        // Marks of server components, which mean nothing here.
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") print(level, log);
      },
    },
  },
});
