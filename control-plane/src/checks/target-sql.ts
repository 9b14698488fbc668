/** SQL of the targets of checks. */
import { type CheckTypeMember, checkTypes } from "@svc/contract";

/**
 * Returns the SQL expression of a check's target as its configuration has it: a URL or a host, NULL when it has none.
 * @param checks name or alias of the table `checks` in the statement
 */
export function targetSql(checks: string): string {
  const cases = checkTypes.members.flatMap(({ type, targetField }: TargetedType) =>
    targetField === undefined ? [] : [`WHEN '${type}' THEN '${targetField}'`],
  );
  return `(${checks}.config ->> CASE ${checks}.type ${cases.join(" ")} END)`;
}

/** Stands for the resolver of the runner's own machine in {@link firstHopSql}. */
export const OWN_RESOLVER = "";

/**
 * Returns the SQL expression of where a check's runs connect to first instead of its target: its proxy, else the resolver that it asks, which
 * is {@link OWN_RESOLVER} when it names none; NULL when it connects to its target.
 * @param checks name or alias of the table `checks` in the statement
 */
export function firstHopSql(checks: string): string {
  const cases = checkTypes.members.flatMap(({ type, resolverField }: TargetedType) =>
    resolverField === undefined
      ? []
      : [`WHEN '${type}' THEN coalesce(${checks}.config ->> '${resolverField}', '${OWN_RESOLVER}')`],
  );
  return `coalesce(${checks}.config ->> '${PROXY_FIELD}', CASE ${checks}.type ${cases.join(" ")} END)`;
}

/** The field of the proxy, which has one name on all types that take one. */
const PROXY_FIELD = "proxyUrl";

type TargetedType = Pick<CheckTypeMember, "type"> & {
  readonly targetField?: string;
  readonly resolverField?: string;
};
