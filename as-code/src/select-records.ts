/** Selects the records that a config can describe, and names those that it has to leave out. Pure. */
import type { Check, Slo, StatusPage } from "@svc/contract";
import { isDescribable } from "./is-describable.ts";
import type { DescribedRecords, Unmanaged } from "./records.ts";

/** Records of one kind that share a name, by which a config would tell them apart. */
export interface SharedName {
  /** In the plural: "monitors". */
  kind: string;
  name: string;
  ids: readonly string[];
}

/** The records to write, those left out with their reasons, and names that several records have. */
export interface SelectedRecords {
  records: DescribedRecords;
  unmanaged: Unmanaged[];
  shared: SharedName[];
}

/**
 * Selects everything that a config can describe, or one check with its rules and SLOs and the channels that they notify.
 * @param only the one check
 */
export function selectRecords(all: DescribedRecords, only?: Check): SelectedRecords {
  const wanted = only === undefined ? all.checks : [only];
  const checks = wanted.filter(isDescribable);
  const unmanaged: Unmanaged[] = wanted
    .filter((check) => !isDescribable(check))
    .map(({ id, name }) => ({ kind: "check", id, name, reason: "a browser monitor of a single URL" }));
  const ids = new Set(checks.map(({ id }) => id));
  const patterns = only === undefined ? all.patterns : [];
  const patternIds = new Set(patterns.map(({ id }) => id));
  const isWritten = ({ checkId, patternId }: Slo) =>
    (checkId !== null && ids.has(checkId)) || (patternId !== null && patternIds.has(patternId));
  const slos = all.slos.filter(isWritten);
  if (only === undefined)
    unmanaged.push(...all.slos.filter((slo) => !isWritten(slo)).map((slo) => unmanagedSlo(slo, all)));
  // Rules that an SLO or a policy generated are generated again from these. Earlier services know no policies.
  const alerts = all.alerts.filter(
    ({ checkId, sloId, policyId }) => sloId === null && !policyId && ids.has(checkId),
  );
  const policies = only === undefined ? all.policies : [];
  const isPageWritten = ({ components }: StatusPage) =>
    components.every(({ checkId }) => checkId === undefined || ids.has(checkId));
  const statusPages = only === undefined ? all.statusPages.filter(isPageWritten) : [];
  if (only === undefined)
    unmanaged.push(
      ...all.statusPages
        .filter((page) => !isPageWritten(page))
        .map(({ id, slug }): Unmanaged => {
          return { kind: "status_page", id, name: slug, reason: "it shows a monitor that is not written" };
        }),
    );
  const notifiedIds = new Set([...alerts, ...slos].flatMap(({ channelIds }) => channelIds));
  const channels = only === undefined ? all.channels : all.channels.filter(({ id }) => notifiedIds.has(id));
  const labels = Object.fromEntries(Object.entries(all.labels).filter(([id]) => ids.has(id as Check["id"])));
  return {
    records: {
      checks,
      labels,
      patterns,
      slos,
      policies,
      statusPages,
      alerts,
      channels,
      // Both are the team's, not a monitor's.
      rotas: only === undefined ? all.rotas : [],
      incidentPolicy: only === undefined ? all.incidentPolicy : null,
      windows: [],
    },
    unmanaged,
    shared: [
      ...sharedNames("monitors", checks),
      ...sharedNames("SLOs", slos),
      ...sharedNames("channels", channels),
    ],
  };
}

function unmanagedSlo({ id, name, checkId }: Slo, { checks }: DescribedRecords): Unmanaged {
  const check = checks.find((one) => one.id === checkId)?.name ?? checkId;
  const reason = check === null ? "its third party is unknown" : `the SLO of ${check}, which is not written`;
  return { kind: "slo", id, name, reason };
}

function sharedNames(kind: string, list: readonly { id: string; name: string }[]): SharedName[] {
  const byName = new Map<string, string[]>();
  for (const { id, name } of list) {
    const ids = byName.get(name);
    if (ids) ids.push(id);
    else byName.set(name, [id]);
  }
  return [...byName].flatMap(([name, ids]) => (ids.length > 1 ? [{ kind, name, ids }] : []));
}
