/** What the launcher (bin/svc.cjs) loads when there is more to do than to tell the version. */
import { runProcess } from "./program/process.ts";

await runProcess(process.argv.slice(2));
