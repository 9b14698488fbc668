/** Pictures and videos of an agent: where they wait, who takes them from runs, and who sends them. */
import { join } from "node:path";
import type { Logger } from "pino";
import type { Config } from "../base/config.ts";
import { setTimer } from "../base/timer.ts";
import { ArtifactFolder } from "./artifact-folder.ts";
import { ArtifactSender } from "./artifact-sender.ts";
import { ArtifactKeeper } from "./run-artifacts.ts";
import { artifactUploader } from "./upload-artifact.ts";

export interface Artifacts {
  folder: ArtifactFolder;
  sender: ArtifactSender;
  keeper: ArtifactKeeper;
}

/** @param dataFolder path of the agent's data folder   @param nowMs Unix ms of the corrected clock */
export function openArtifacts(
  dataFolder: string,
  config: Config,
  log: Logger,
  nowMs: () => number,
): Artifacts {
  const { controlPlaneUrl: url, runnerKey, ca } = config;
  const folder = new ArtifactFolder(join(dataFolder, "artifacts"), config.artifactBytesMax);
  const sender = new ArtifactSender({
    folder,
    upload: artifactUploader({ url, runnerKey, ca, setTimer }),
    nowMs,
    random: Math.random,
    setTimer,
    warn: (message, fields) => log.warn(fields, message),
  });
  return { folder, sender, keeper: new ArtifactKeeper(folder, sender) };
}
