/** Selects the resources that a pull writes, and names those that it has to leave out. Pure. */
import { type SharedName, selectRecords, type Unmanaged } from "@svc/as-code";
import type { Remote } from "@svc/as-code/plan";
import { oneLine } from "@svc/contract";
import { pickNamed } from "../lookup/pick-named.ts";
import { CliError } from "../runtime/cli-error.ts";

/** The resources to write, and those left out with their reasons. */
export interface Selection {
  remote: Remote;
  unmanaged: Unmanaged[];
}

/**
 * Selects everything, or one monitor with its rules and SLOs and the channels that they notify.
 * @param typed name or id of the one monitor
 * @throws CliError when the monitor doesn't exist or can't be described, or when two resources of one kind have one name
 */
export function selectRemote(remote: Remote, typed?: string): Selection {
  const only = typed === undefined ? undefined : pickNamed("monitor", typed, remote.checks);
  const { records, unmanaged, shared } = selectRecords(remote, only);
  if (only && unmanaged[0])
    throw new CliError(
      "general_error",
      `"${unmanaged[0].name}" is ${unmanaged[0].reason}; a config can't describe it`,
      { hint: "Change it in the dashboard, by svc monitors edit or by the API" },
    );
  refuseSharedNames(shared);
  return { remote: { ...remote, ...records }, unmanaged };
}

function refuseSharedNames(shared: readonly SharedName[]): void {
  const [first] = shared;
  if (!first) return;
  const ofKind = shared.filter(({ kind }) => kind === first.kind);
  throw new CliError(
    "general_error",
    `the service has ${first.ids.length} ${first.kind} named "${first.name}"`,
    {
      hint: `A config tells them apart by name. Rename or delete all but one:\n${ofKind
        .map(({ name, ids }) => `  ${oneLine(name)}: ${ids.join(", ")}`)
        .join("\n")}`,
      details: { ids: ofKind.flatMap(({ ids }) => ids) },
    },
  );
}
