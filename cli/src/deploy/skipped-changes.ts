/** Decides what --accept-remote leaves alone. Pure. */
import type { Plan, PlannedChange } from "@svc/as-code/plan";

/**
 * Returns the drifted changes, and those that only make sense with one of them: rules and SLOs of a monitor that would have
 * been deleted or created again, the monitor of a rule that would have gone with it, and SLOs of a third-party pattern that
 * would have been created again.
 */
export function skippedChanges({ changes }: Plan, drifted: readonly PlannedChange[]): Set<PlannedChange> {
  const deleted = new Set(
    changes.filter(({ kind, type }) => kind === "check" && type === "delete").map(({ name }) => name),
  );
  const monitors = new Set(
    drifted.flatMap((change) => {
      if (change.kind === "check" && change.type !== "update") return [change.name];
      // A rule that stays keeps its check.
      return change.kind === "alert" && deleted.has(change.monitor) ? [change.monitor] : [];
    }),
  );
  const patterns = new Set(
    drifted
      .filter(({ kind, type }) => kind === "third_party_pattern" && type === "create")
      .map(({ name }) => name),
  );
  const goesAlong = (change: PlannedChange) => {
    if (change.kind === "check") return monitors.has(change.name);
    if (change.kind === "alert") return monitors.has(change.monitor);
    if (change.kind === "slo")
      return (
        monitors.has(change.desired?.monitor ?? change.monitor ?? "") ||
        patterns.has(change.desired?.pattern ?? "")
      );
    if (change.kind === "status_page")
      return change.desired?.components.some(({ monitor }) => monitors.has(monitor ?? "")) ?? false;
    if (change.kind !== "maintenance_window" || !change.desired) return false;
    const { monitors: covered } = change.desired;
    return covered !== "all" && covered.some((name) => monitors.has(name));
  };
  const isDrifted = new Set(drifted);
  const skipped = changes.filter((change) => isDrifted.has(change) || goesAlong(change));
  const slosKept = new Set(skipped.filter(({ kind }) => kind === "slo").map(({ name }) => name));
  // An SLO that would be replaced with its check or pattern is deleted and created by two changes of one name.
  return new Set(
    changes.filter(
      (change) => skipped.includes(change) || (change.kind === "slo" && slosKept.has(change.name)),
    ),
  );
}
