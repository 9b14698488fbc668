/** Checks the ids in a config that stand for resources of the team, before anything is planned. */

import type { Desired, DesiredMonitor } from "@svc/as-code/config";
import { type ApiClient, isId } from "@svc/contract";
import { CliError } from "../runtime/cli-error.ts";

/** An id in a config, and its place: the monitor and the path in it. */
interface Reference {
  monitor: string;
  path: string;
  id: string;
}

/**
 * Passes when the team has every API spec, every SLO and every check whose id a monitor names; the service would refuse others in the
 * middle of the deploy. Asks the service only when there are such ids.
 * @throws CliError naming each monitor, field and id that is unknown
 */
export async function assertTeamReferences(
  api: Pick<ApiClient, "listSpecs" | "listSlos" | "listCheckSummaries">,
  { monitors }: Pick<Desired, "monitors">,
): Promise<void> {
  const [specs, slos] = [monitors.flatMap(specsOf), monitors.flatMap(slosOf)];
  const unknown = [
    ...(await unknownAmong(specs, { noun: "API spec", list: () => api.listSpecs() })),
    ...(await unknownAmong(slos, { noun: "SLO", list: () => api.listSlos() })),
    ...(await unknownAmong(monitors.flatMap(checksOf), {
      noun: "monitor",
      list: () => api.listCheckSummaries(),
    })),
  ];
  if (unknown.length === 0) return;
  const lines = unknown.map(
    ({ monitor, path, noun, id }) => `  ${monitor}: ${path}: there is no ${noun} ${id}`,
  );
  throw new CliError(
    "general_error",
    `the config names ids that the team doesn't have\n${lines.join("\n")}`,
    {
      hint: "Nothing was changed. See the ids with: svc slos list; svc monitors list; svc api GET /api/specs",
      details: { unknownIds: unknown.map(({ monitor, path, id }) => ({ monitor, field: path, id })) },
    },
  );
}

async function unknownAmong(
  references: readonly Reference[],
  { noun, list }: { noun: string; list(): Promise<readonly { id: string }[]> },
): Promise<(Reference & { noun: string })[]> {
  if (references.length === 0) return [];
  const known = new Set((await list()).map(({ id }) => id));
  return references.filter(({ id }) => !known.has(id)).map((reference) => ({ ...reference, noun }));
}

function specsOf({ name: monitor, config }: DesiredMonitor): Reference[] {
  const { assertions, steps } = config;
  const lists: [unknown, string][] = [
    [assertions, "assertions"],
    ...(Array.isArray(steps) ? steps : []).map((step, i): [unknown, string] => [
      step?.assertions,
      `steps[${i}].assertions`,
    ]),
  ];
  return lists.flatMap(([list, path]) =>
    Array.isArray(list)
      ? list.flatMap(({ specId }, i) =>
          typeof specId === "string" ? [{ monitor, path: `${path}[${i}].specId`, id: specId }] : [],
        )
      : [],
  );
}

function slosOf({ name: monitor, alerts }: DesiredMonitor): Reference[] {
  return alerts.flatMap(({ conditions }, a) =>
    conditions.flatMap((condition, c) =>
      "sloId" in condition
        ? [{ monitor, path: `alerts[${a}].conditions[${c}].sloId`, id: condition.sloId }]
        : [],
    ),
  );
}

function checksOf({ name: monitor, dependsOn }: DesiredMonitor): Reference[] {
  return dependsOn.flatMap((id, i) => (isId("check", id) ? [{ monitor, path: `dependsOn[${i}]`, id }] : []));
}
