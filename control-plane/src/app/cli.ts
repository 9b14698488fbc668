/** The `svc-control-plane` command, as it is bundled. */
import { runProgram } from "./commands/program.ts";

const exitCode = await runProgram(process.argv);
// A service that runs ends itself; anything else must not wait for what still lingers.
if (exitCode !== 0) process.exit(exitCode);
