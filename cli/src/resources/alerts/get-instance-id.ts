/** Finds the alert that a typed id, or the name of its monitor, means. */
import type { ApiClient } from "@svc/contract";
import { pickNamed } from "../../lookup/pick-named.ts";

/** States of alerts that are not over. */
export const OPEN_STATES = ["active", "acknowledged"] as const;

/** The argument that names an alert. */
export const INSTANCE_ARGUMENT = {
  name: "<alert>",
  description: "id of the alert, or name of the monitor whose open alert it is",
};

/**
 * Returns the id of the alert: the typed one, or that of the one open alert of the monitor with that name.
 * @throws CliError when no open alert, or more than one, goes by that name
 */
export async function getInstanceId(api: ApiClient, typed: string): Promise<string> {
  if (typed.startsWith("ainst_")) return typed;
  const open = await api.listAllAlertInstances({ state: OPEN_STATES });
  return pickNamed(
    "open alert",
    typed,
    open.map(({ id, checkName }) => ({ id, name: checkName })),
  ).id;
}
