/** Starts an agent: the data folder is taken, room waited for and the database opened before anything runs. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { Agent, type AgentFailure, type AgentParts } from "./agent/agent.ts";
import { openDataFolder } from "./disk/data-folder.ts";
import { openDatabase } from "./disk/database.ts";
import { lackOfRoom, SMALL_RESERVE_BYTES } from "./disk/disk-space.ts";

/** How often a full disk is looked at again before the start. */
const ROOM_LOOK_MS = 2000;

/** Starts an agent. @throws DataFolderError, or the health port's error, when it can't start */
export async function startAgent(parts: AgentParts): Promise<Agent> {
  let fail: (failure: AgentFailure) => void = () => {};
  const failed = new Promise<AgentFailure>((resolve) => {
    fail = resolve;
  });
  const folder = await openDataFolder(parts.config.dataDir, () => fail("data_folder_lost"));
  await waitForRoom(folder.path, parts.log);
  const database = openDatabase(folder.path, (path, error) =>
    parts.log.error(
      `the spool could not be opened (${error.message}); moved to ${path}, starting with an empty one`,
    ),
  );
  const agent = new Agent(parts, folder, database, failed, fail);
  await agent.start();
  return agent;
}

/** A full disk ends some day; a process that ended because of it would only be started again. */
async function waitForRoom(folder: string, log: Logger): Promise<void> {
  let lack = lackOfRoom(folder, SMALL_RESERVE_BYTES);
  if (lack === undefined) return;
  log.error(`waiting for room in the data folder ${folder}: ${lack}`);
  for (; lack !== undefined; lack = lackOfRoom(folder, SMALL_RESERVE_BYTES)) await sleep(ROOM_LOOK_MS);
}
