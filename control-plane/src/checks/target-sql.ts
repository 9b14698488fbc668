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

type TargetedType = Pick<CheckTypeMember, "type"> & { readonly targetField?: string };
