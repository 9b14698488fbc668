/** From what was typed, an alert's id or the name of its monitor or rule, to the alert that is meant. */
import type { AlertInstanceSummary, ApiClient } from "@svc/contract";
import { readAllPages } from "../../lookup/pages.ts";
import { pickNamed } from "../../lookup/pick-named.ts";

export const OPEN_STATES = ["active", "acknowledged"] as const;

export const INSTANCE_ARGUMENT = {
  name: "<alert>",
  description: "id of the alert, or name of the monitor whose open alert it is",
};

/** Alerts that are not over, newest first. */
export function listOpenAlerts(api: ApiClient): Promise<AlertInstanceSummary[]> {
  return readAllPages(
    async (page) => (await api.listAlertInstances({ ...page, state: OPEN_STATES })).instances,
  );
}

/**
 * The id of the alert: as it was typed, or of the one open alert of the monitor with that name.
 * @throws CliError when no open alert, or more than one, goes by that name
 */
export async function findInstanceId(api: ApiClient, typed: string): Promise<string> {
  if (typed.startsWith("ainst_")) return typed;
  const open = await listOpenAlerts(api);
  return pickNamed(
    "open alert",
    typed,
    open.map(({ id, checkName }) => ({ id, name: checkName })),
  ).id;
}
