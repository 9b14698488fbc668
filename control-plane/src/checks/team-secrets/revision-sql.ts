/** SQL of a check's revision as runners know it. */

/**
 * Returns the SQL expression of the revision of a check with the secrets that it refers to: the greatest of its own and
 * theirs, so that runners take another value of a secret for a change of the check.
 * @param checks name or alias of the table `checks` in the statement
 */
export function revisionSql(checks: string): string {
  return `CASE WHEN ${checks}.vault_names = '{}' THEN ${checks}.revision ELSE greatest(${checks}.revision,
    (SELECT max(v.revision) FROM team_secrets v
     WHERE v.team_id = ${checks}.team_id AND v.name = ANY(${checks}.vault_names))) END`;
}
