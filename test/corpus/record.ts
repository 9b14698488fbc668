/**
 * Records the outages of the corpus: `npm run corpus [-- <id> ...]`. Runs in a network namespace of its own, in which loopback is
 * all there is and its name server the only one, so that names, ports and lookups are real and nothing leaves the machine.
 * Needs Linux and Debian's packages bubblewrap and chromium-headless-shell; `npm run build` first.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordScenario } from "./record-scenario.ts";
import { OUTAGES } from "./recording.ts";
import { SCENARIOS } from "./scenarios/registry.ts";
import { toText } from "./to-text.ts";
import { startWorld } from "./world/world.ts";

const INSIDE = "SVC_CORPUS_INSIDE";

if (process.env[INSIDE] === undefined) process.exit(runInNamespace());
await record(process.argv.slice(2));
process.exit(0);

/** Runs this program again in a namespace of its own. @returns its exit code */
function runInNamespace(): number {
  const resolvers = join(mkdtempSync(join(tmpdir(), "svc-corpus-")), "resolv.conf");
  writeFileSync(resolvers, "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n");
  const program = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const { status } = spawnSync(
    "bwrap",
    [
      ...["--dev-bind", "/", "/", "--ro-bind", resolvers, "/etc/resolv.conf"],
      ...["--unshare-user", "--unshare-net", "--uid", "0", "--gid", "0", "--cap-add", "CAP_NET_BIND_SERVICE"],
      ...["--die-with-parent", "--setenv", INSIDE, "1", ...program],
    ],
    { stdio: "inherit" },
  );
  return status ?? 1;
}

async function record(ids: readonly string[]): Promise<void> {
  const unknown = ids.filter((id) => !SCENARIOS.some((scenario) => scenario.id === id));
  if (unknown.length > 0) throw new Error(`there is no scenario ${unknown.join(", ")}`);
  const world = await startWorld();
  for (const scenario of SCENARIOS) {
    if (ids.length > 0 && !ids.includes(scenario.id)) continue;
    const recording = await recordScenario(scenario, world);
    const text = toText(recording);
    writeFileSync(join(OUTAGES, `${scenario.id}.json`), text);
    console.log(`${scenario.id}: ${text.length} bytes`);
  }
  await world.close();
}
