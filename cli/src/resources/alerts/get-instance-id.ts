/** Finds the alert that a typed id, or the name of its monitor, means. */
import type { AlertInstanceSummary, ApiClient } from "@svc/contract";
import { readAllPages } from "../../lookup/pages.ts";
import { pickNamed } from "../../lookup/pick-named.ts";

/** States of alerts that are not over. */
export const OPEN_STATES = ["active", "acknowledged"] as const;

/** The argument that names an alert. */
export const INSTANCE_ARGUMENT = {
  name: "<alert>",
  description: "id of the alert, or name of the monitor whose open alert it is",
};

/** Lists the alerts that are not over, newest first. */
function listOpenAlerts(api: ApiClient): Promise<AlertInstanceSummary[]> {
  return readAllPages(
    async (page) => (await api.listAlertInstances({ ...page, state: OPEN_STATES })).instances,
  );
}

/**
 * Returns the id of the alert: the typed one, or that of the one open alert of the monitor with that name.
 * @throws CliError when no open alert, or more than one, goes by that name
 */
export async function getInstanceId(api: ApiClient, typed: string): Promise<string> {
  if (typed.startsWith("ainst_")) return typed;
  const open = await listOpenAlerts(api);
  return pickNamed(
    "open alert",
    typed,
    open.map(({ id, checkName }) => ({ id, name: checkName })),
  ).id;
}
