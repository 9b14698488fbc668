/**
 * Reads a pulled config as a deploy would, before it takes the position of another one: it has to say what the service
 * has.
 */

import type { ConfigFormat } from "@svc/as-code";
import { computePlan, createSecrets, KIND_WORDS, NO_STATE, type Remote } from "@svc/as-code/plan";
import type { DeployedResource } from "@svc/contract";
import { stateAfter } from "../deploy/state-after.ts";
import type { Context } from "../runtime/context.ts";
import { failureOf } from "../runtime/failure.ts";
import { readWritten } from "./read-written.ts";

/** The outcome of comparing a pulled config with the service. */
export interface Verified {
  /** The clean baseline: every resource that the config describes as it is on the service. */
  baseline: DeployedResource[];
  /** Errors of the config, and differences from the service; empty when there are none. */
  problems: string[];
}

/**
 * Plans a deploy of the files, in a temporary folder.
 * @param options.secrets values by environment variable
 * @param options.remote the resources that were to be written
 */
export function verifyPulled(
  files: ReadonlyMap<string, string>,
  {
    context,
    format,
    fileName,
    secrets,
    remote,
  }: {
    context: Context;
    format: ConfigFormat;
    fileName: string;
    secrets: Readonly<Record<string, string>>;
    remote: Remote;
  },
): Verified {
  // Not the output's secrets: a user name of two letters, found in every other word, would make all output of pull
  // unreadable.
  const known = createSecrets();
  try {
    const desired = readWritten(files, { context, format, fileName, secrets, known });
    const { changes } = computePlan({
      desired,
      remote,
      state: NO_STATE,
      secrets: known,
      isPruning: false,
    });
    const problems = changes
      .filter(({ type }) => type !== "unchanged")
      .map(({ kind, name, fieldChanges }) => {
        const fields = fieldChanges.map(({ field }) => field).join(", ");
        return known.redact(`${KIND_WORDS[kind]} "${name}" differs${fields === "" ? "" : ` (${fields})`}`);
      });
    return { baseline: stateAfter({ desired, remote, former: NO_STATE, secrets: known }), problems };
  } catch (error) {
    const { message, hint } = failureOf(error, undefined);
    return { baseline: [], problems: [message, ...(hint?.split("\n") ?? [])].map(known.redact) };
  }
}
