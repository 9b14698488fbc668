import { changedAt, remoteWindowFields, windowFields } from "./compared-fields.ts";
import { absent, type Change, comparison, type PlanContext } from "./planned-change.ts";

/** Maintenance windows by name; in the directory layout, which can't describe them, none is touched. */
export function planWindows(context: PlanContext): Change[] {
  const { desired, remote } = context;
  if (!desired.windows) return [];
  const names = { channel: context.channelName, check: context.checkName };
  const changes = desired.windows.map((window): Change => {
    const { name } = window;
    const existing = remote.windows.find((one) => one.name === name);
    const work = { kind: "maintenance_window" as const, desired: window };
    if (!existing)
      return { type: "create", kind: "maintenance_window", name, remoteId: null, fieldChanges: [], work };
    const { checkIds } = existing;
    return comparison(context, {
      kind: "maintenance_window",
      name,
      remoteId: existing.id,
      updatedAt: changedAt(existing),
      work,
      before: remoteWindowFields(existing, names),
      after: windowFields(window),
      // A check that is made anew leaves the window with its old id.
      isForced: checkIds !== "all" && checkIds.some((id) => context.deletedChecks.has(id)),
    });
  });
  const wanted = new Set(desired.windows.map(({ name }) => name));
  const extra = remote.windows.filter(({ name }) => !wanted.has(name));
  return [
    ...changes,
    ...extra.flatMap((one) =>
      absent(context, {
        kind: "maintenance_window",
        name: one.name,
        remoteId: one.id,
        updatedAt: changedAt(one),
        work: { kind: "maintenance_window" },
      }),
    ),
  ];
}
