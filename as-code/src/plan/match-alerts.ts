/** Finds the stored rule of each alert of a monitor. Pure. */

import type { DesiredAlert } from "../config/desired.ts";
import type { ListedAlertRule } from "../records.ts";
import { alertFields, type NameLookup, remoteAlertFields } from "./compared-fields.ts";
import { areEqual } from "./field-changes.ts";

/**
 * Matches alerts with rules: by equal content, then by name, then unnamed ones in order, so that an unnamed rule that
 * was edited stays the rule it was.
 */
export function matchAlerts(
  desired: readonly DesiredAlert[],
  existing: readonly ListedAlertRule[],
  names: NameLookup,
): Map<DesiredAlert, ListedAlertRule> {
  const matches = new Map<DesiredAlert, ListedAlertRule>();
  const unmatched = new Set(existing);
  const match = (accepts: (alert: DesiredAlert, remote: ListedAlertRule) => boolean) => {
    for (const alert of desired) {
      if (matches.has(alert)) continue;
      const found = [...unmatched].find((remote) => accepts(alert, remote));
      if (!found) continue;
      matches.set(alert, found);
      unmatched.delete(found);
    }
  };
  match((alert, remote) => areEqual(alertFields(alert), remoteAlertFields(remote, names)));
  match((alert, remote) => alert.name !== null && alert.name === remote.name);
  match((alert, remote) => alert.name === null && remote.name === null);
  return matches;
}
