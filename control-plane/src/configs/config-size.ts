/** Bounds of a config that the service writes. */
import { EXPORTED_CHECKS_MAX } from "@svc/contract";
import type { CheckModel } from "../checks/row.ts";

/** Most bytes of all configurations of checks together; scripts, which are sealed, make up most of them. */
export const CONFIG_BYTES_MAX = 8 * 1024 * 1024;

/** Says that the checks are more, or larger, than the service writes. */
export const TOO_LARGE = `more than ${EXPORTED_CHECKS_MAX} checks, or more than 8 MiB of scripts and settings`;

/** Returns the bytes of the configurations, sealed parts included; nearly, since it counts characters. */
export function configBytesOf(rows: readonly Pick<CheckModel, "config" | "configSecrets">[]): number {
  return rows.reduce(
    (sum, { config, configSecrets }) => sum + JSON.stringify(config).length + (configSecrets?.length ?? 0),
    0,
  );
}
