/** The `svc` executable. Asked for its version alone it loads nothing else, so that it answers as fast as node starts. */
import { VERSION } from "./version.ts";

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) process.stdout.write(`${VERSION}\n`);
else {
  const { runProcess } = await import("./process.ts");
  await runProcess(args);
}
