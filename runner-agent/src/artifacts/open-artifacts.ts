/** Puts together the parts that keep and upload pictures and videos. */
import { join } from "node:path";
import type { Logger } from "pino";
import type { Config } from "../base/config.ts";
import { setTimer } from "../base/timer.ts";
import { ArtifactFolder } from "./artifact-folder.ts";
import { ArtifactSender } from "./artifact-sender.ts";
import { RunArtifacts } from "./run-artifacts.ts";
import { artifactUploader } from "./upload-artifact.ts";

/** The parts for pictures and videos. */
export interface Artifacts {
  folder: ArtifactFolder;
  sender: ArtifactSender;
  ofRuns: RunArtifacts;
}

/** The folder, the settings and the clock of the agent. */
export interface OpenArtifactsOptions {
  /** Path of the agent's data folder. */
  dataFolder: string;
  config: Config;
  log: Logger;
  /** Corrected clock, Unix ms. */
  nowMs: () => number;
  /** A number from [0, 1), for jitter. */
  random: () => number;
}

/** Opens the folder and returns the parts, which do nothing before `ofRuns.start()`. */
export function openArtifacts({ dataFolder, config, log, nowMs, random }: OpenArtifactsOptions): Artifacts {
  const { controlPlaneUrl: url, runnerKey, ca } = config;
  const folder = new ArtifactFolder(join(dataFolder, "artifacts"), config.artifactBytesMax);
  const sender = new ArtifactSender({
    folder,
    upload: artifactUploader({ url, runnerKey, ca, setTimer }),
    nowMs,
    random,
    setTimer,
    warn: (message, fields) => log.warn(fields, message),
  });
  return { folder, sender, ofRuns: new RunArtifacts(folder, sender) };
}
