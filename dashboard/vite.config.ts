import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";

/** Adds the script that sets the theme as a file of its own, which the browser runs before it draws anything. */
function themeEarly(): Plugin {
  const path = fileURLToPath(new URL("src/theme-early.js", import.meta.url));
  return {
    name: "theme-early",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle }) {
        const file = Object.values(bundle ?? {}).find(({ fileName }) => fileName.includes("theme-early"));
        const src = file === undefined ? "/src/theme-early.js" : `/${file.fileName}`;
        return [{ tag: "script", attrs: { src }, injectTo: "head-prepend" }];
      },
    },
    generateBundle() {
      this.emitFile({ type: "asset", name: "theme-early.js", source: readFileSync(path, "utf8") });
    },
  };
}

/** The build of the dashboard. Everything lies in files of our own, so that the pages' policy needs no exception. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  logLevel: "warn",
  plugins: [themeEarly()],
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
