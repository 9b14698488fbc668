#!/usr/bin/env node
import { existsSync } from "node:fs";

const main = new URL("../dist/main.js", import.meta.url);
if (!existsSync(main)) {
  process.stderr.write("svc-runner: not built yet; run `npm run build` in the project's root folder\n");
  process.exit(1);
}
await import(main.href);
