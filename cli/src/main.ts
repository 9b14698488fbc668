/** Entry point that the launcher (bin/svc.cjs) loads for everything but `--version`. */
import { runProcess } from "./program/process.ts";

await runProcess(process.argv.slice(2));
