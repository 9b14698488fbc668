/** Starts an agent. Locks the data folder, waits for space on its disk and opens the database before anything runs. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { Agent } from "./agent/agent.ts";
import type { AgentFailure, AgentParts } from "./agent/agent-parts.ts";
import { thisMachine } from "./base/machine.ts";
import { openDataFolder } from "./disk/data-folder.ts";
import { openDatabase } from "./disk/database.ts";
import { findSpaceShortage, SMALL_RESERVE_BYTES } from "./disk/disk-space.ts";

/** Time between two looks at a full disk before the start. */
const SPACE_CHECK_MS = 2000;

/**
 * Starts an agent.
 * @throws DataFolderError when the data folder can't be used, or the health port's error
 */
export async function startAgent(
  parts: Omit<AgentParts, "machine" | "folder" | "database" | "failure">,
): Promise<Agent> {
  let resolve: (failure: AgentFailure) => void = () => {};
  const promise = new Promise<AgentFailure>((resolveFailure) => {
    resolve = resolveFailure;
  });
  const folder = await openDataFolder(parts.config.dataDir, thisMachine.wallMs, () =>
    resolve("data_folder_lost"),
  );
  await waitForSpace(folder.path, parts.log);
  const database = openDatabase(folder.path, thisMachine.wallMs, (path, error) =>
    parts.log.error(
      `the spool could not be opened (${error.message}); moved to ${path}, starting with an empty one`,
    ),
  );
  const agent = new Agent({
    ...parts,
    machine: thisMachine,
    folder,
    database,
    failure: { promise, resolve },
  });
  await agent.start();
  return agent;
}

/** Waits until the disk has space. Ending the process instead would only make its supervisor start it again. */
async function waitForSpace(folder: string, log: Logger): Promise<void> {
  let shortage = findSpaceShortage(folder, SMALL_RESERVE_BYTES);
  if (shortage === undefined) return;
  log.error(`waiting for space in the data folder ${folder}: ${shortage}`);
  for (; shortage !== undefined; shortage = findSpaceShortage(folder, SMALL_RESERVE_BYTES))
    await sleep(SPACE_CHECK_MS);
}
