/** Puts together the source of API specs: memory, then the data folder, then the control plane. */
import { join } from "node:path";
import type { OpenApiEngine } from "@svc/openapi";
import type { Logger } from "pino";
import type { Config } from "../base/config.ts";
import type { Machine } from "../base/machine.ts";
import { setTimer } from "../base/timer.ts";
import { specFetcher } from "./fetch-spec.ts";
import { SpecCache } from "./spec-cache.ts";
import { SpecSource } from "./spec-source.ts";

/** The folder, the engine and the settings of the agent. */
export interface OpenSpecsOptions {
  /** Path of the agent's data folder. */
  dataFolder: string;
  engine: OpenApiEngine;
  config: Config;
  log: Logger;
  machine: Machine;
}

/** Returns the agent's source of API specs. */
export function openSpecs({ dataFolder, engine, config, log, machine }: OpenSpecsOptions): SpecSource {
  const { controlPlaneUrl: url, runnerKey, ca } = config;
  return new SpecSource({
    engine,
    cache: new SpecCache(join(dataFolder, "api-specs"), machine.wallMs),
    fetch: specFetcher({ url, runnerKey, ca, setTimer }),
    nowMs: machine.monotonicMs,
    warn: (message, fields) => log.warn(fields, message),
  });
}
