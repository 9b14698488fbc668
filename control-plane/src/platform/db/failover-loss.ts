/**
 * Says what a failover of the database may lose, as far as the primary's settings and its standbys tell. Agents delete a
 * result when it is acknowledged, which is after its commit; so the question is whether that waited for a standby. Pure.
 */

/** State of the replication, as the primary reports it. */
export interface Replication {
  /** Setting `synchronous_commit` of our sessions. */
  synchronousCommit: string;
  /** Setting `synchronous_standby_names`; empty: no commit waits for a standby. */
  standbyNames: string;
  /** Standbys that stream from the primary. */
  standbys: number;
  /** Those whose confirmation commits wait for; null when this account may not see that. */
  synchronousStandbys: number | null;
}

/** `synchronous`: nothing acknowledged is lost. `waiting`: nothing either, but no commit ends. `alone`: no standby. */
export type FailoverLoss = "synchronous" | "waiting" | "asynchronous" | "alone";

/** The question to the primary; an account without the role pg_monitor sees standbys without their states. */
export const REPLICATION_SQL = `
  SELECT current_setting('synchronous_commit') AS "synchronousCommit",
    current_setting('synchronous_standby_names') AS "standbyNames",
    count(pid)::integer AS standbys,
    CASE WHEN count(pid) = count(sync_state)
      THEN (count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')))::integer END AS "synchronousStandbys"
  FROM pg_stat_replication`;

/** Settings of synchronous_commit with which a commit waits for the standby. */
const WAITS: ReadonlySet<string> = new Set(["on", "remote_write", "remote_apply"]);

/** Judges what a failover may lose. */
export function failoverLoss(replication: Replication): FailoverLoss {
  const { synchronousCommit, standbyNames, standbys, synchronousStandbys } = replication;
  if (standbyNames !== "" && WAITS.has(synchronousCommit))
    return standbys === 0 || synchronousStandbys === 0 ? "waiting" : "synchronous";
  return standbys === 0 ? "alone" : "asynchronous";
}

/** Returns the judgement as a sentence for the operator. */
export function failoverWords(loss: FailoverLoss, { synchronousCommit }: Replication): string {
  switch (loss) {
    case "synchronous":
      return synchronousCommit === "remote_write"
        ? "the database replicates synchronously (remote_write): acknowledged results survive a failover unless the standby's machine fails as well"
        : "the database replicates synchronously: acknowledged results survive a failover";
    case "waiting":
      return "the database waits for a synchronous standby, and none is connected: nothing is stored until one is; acknowledged results survive a failover";
    case "asynchronous":
      return "the database replicates asynchronously: results acknowledged in the last moments before a failover may be lost";
    case "alone":
      return "the database has no standby: there is nothing to fail over to, and what it loses is lost";
  }
}
