/**
 * Positions of exports. Each source is read in the order of (transaction, id), and only up to the snapshot horizon: all
 * transactions below it have ended, so a row that is committed late is never skipped.
 */

/** The last exported row of a source. `xid` is a transaction id in decimal. */
export interface Cursor {
  xid: string;
  id: string;
}

/** The positions of one export in all of its sources. */
export interface Positions {
  results: Cursor & {
    /** Number of results of the row after the cursor that were exported already. */
    taken: number;
  };
  derived: Cursor;
  alerts: Cursor;
  maintenance: Cursor;
}

/** Returns the SQL condition of rows after the cursor and below the snapshot horizon. Binds `:xid` and `:id`. */
export function afterCursor(alias: string): string {
  return `(${alias}.xid, ${alias}.id) > (CAST(:xid AS xid8), :id) AND ${alias}.xid < pg_snapshot_xmin(pg_current_snapshot())`;
}
