/** `npm run screenshots [-- folder]`: the pictures of the dashboard in README and docs. See test/screenshots/run.ts. */
import { build } from "./build.mjs";
import { bin, ensureInstalled, ensureNode, run } from "./ensure.mjs";

ensureNode();
ensureInstalled();
await build();
run(bin("tsx"), ["test/screenshots/run.ts", ...process.argv.slice(2)], {});
