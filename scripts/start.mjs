/** `npm start`: everything on this machine. Installs missing packages, builds stale files, then runs the control plane,
 *  which starts its own database and one hosted runner agent. Settings from the environment win over these defaults. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "./build.mjs";
import { ensureInstalled, ensureNode, root } from "./ensure.mjs";

ensureNode();
ensureInstalled();
await build();

const main = join(root, "control-plane", "dist", "main.js");
process.argv = [process.argv[0], main, "serve", "--local", ...process.argv.slice(2)];
await import(pathToFileURL(main).href);
