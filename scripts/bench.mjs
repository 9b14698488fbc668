/** `npm run bench [-- name ...]`: figures beside their floor or peer in the same run. See docs/performance.md. */
import { build } from "./build.mjs";
import { bin, ensureInstalled, ensureNode, run } from "./ensure.mjs";

ensureNode();
ensureInstalled();
await build();
run(bin("tsx"), ["test/bench/run.ts", ...process.argv.slice(2)], {});
