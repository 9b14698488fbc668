/** Selects the resources that a pull writes, and names those that it has to leave out. Pure. */
import { isDescribable, type Unmanaged } from "@svc/as-code";
import { oneLine, type Slo } from "@svc/contract";
import type { Remote } from "../deploy/fetch-remote.ts";
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
  const wanted = typed === undefined ? remote.checks : [pickNamed("monitor", typed, remote.checks)];
  const unmanaged: Unmanaged[] = wanted
    .filter((check) => !isDescribable(check))
    .map(({ id, name }) => ({ kind: "check", id, name, reason: "a browser monitor of a single URL" }));
  if (typed !== undefined && unmanaged[0])
    throw new CliError(
      "general_error",
      `"${unmanaged[0].name}" is ${unmanaged[0].reason}; a config can't describe it`,
      { hint: "Change it in the dashboard, by svc monitors edit or by the API" },
    );
  const checks = wanted.filter(isDescribable);
  const ids = new Set(checks.map(({ id }) => id));
  const patterns = typed === undefined ? remote.patterns : [];
  const patternIds = new Set(patterns.map(({ id }) => id));
  const isWritten = ({ checkId, patternId }: Slo) =>
    (checkId !== null && ids.has(checkId)) || (patternId !== null && patternIds.has(patternId));
  const slos = remote.slos.filter(isWritten);
  if (typed === undefined) {
    const rest = remote.slos.filter((slo) => !isWritten(slo));
    unmanaged.push(...rest.map((slo) => unmanagedSlo(slo, remote)));
  }
  // Rules that an SLO generated are generated again from the SLO.
  const alerts = remote.alerts.filter(({ checkId, sloId }) => sloId === null && ids.has(checkId));
  const notifiedIds = new Set([...alerts, ...slos].flatMap(({ channelIds }) => channelIds));
  const channels =
    typed === undefined ? remote.channels : remote.channels.filter(({ id }) => notifiedIds.has(id));
  refuseSameNames("monitors", checks);
  refuseSameNames("SLOs", slos);
  refuseSameNames("channels", channels);
  return { remote: { ...remote, checks, patterns, slos, alerts, channels, windows: [] }, unmanaged };
}

function unmanagedSlo({ id, name, checkId }: Slo, { checks }: Remote): Unmanaged {
  const check = checks.find((one) => one.id === checkId)?.name ?? checkId;
  const reason = check === null ? "its third party is unknown" : `the SLO of ${check}, which is not written`;
  return { kind: "slo", id, name, reason };
}

function refuseSameNames(kind: string, list: readonly { id: string; name: string }[]): void {
  const byName = new Map<string, string[]>();
  for (const { id, name } of list) {
    const ids = byName.get(name);
    if (ids) ids.push(id);
    else byName.set(name, [id]);
  }
  const doubled = [...byName].filter(([, ids]) => ids.length > 1);
  const [first] = doubled;
  if (!first) return;
  throw new CliError("general_error", `the service has ${first[1].length} ${kind} named "${first[0]}"`, {
    hint: `A config tells them apart by name. Rename or delete all but one:\n${doubled
      .map(([name, ids]) => `  ${oneLine(name)}: ${ids.join(", ")}`)
      .join("\n")}`,
    details: { ids: doubled.flatMap(([, ids]) => ids) },
  });
}
