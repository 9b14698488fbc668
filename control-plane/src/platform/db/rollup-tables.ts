/** Names of the tables of rollups of five minutes, a partition of `rollups` that is partitioned itself, unless the database is distributed. */

/** Holds the rows of days that have no table; on Citus all rows. A release before deletes from it by name. */
export const FIVE_MINUTE_ROLLUPS = "rollups_5m";
/** Has {@link FIVE_MINUTE_ROLLUPS} and the tables of days as its partitions. */
export const FIVE_MINUTE_ROLLUPS_BY_DAY = "rollups_5m_by_day";
/** SQL of the index by which an hour is found among the rows of all checks, without its table. */
export const BUCKET_INDEX = "USING brin (bucket_ms)";
/** Columns of the primary key of rollups, in order. */
export const ROLLUP_KEY = "bucket_seconds, check_key, location_key, bucket_ms";
