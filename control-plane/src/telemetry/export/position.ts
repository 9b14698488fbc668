/**
 * How far a signal is exported. Each source is read in the order of (transaction, id), and only behind the snapshot
 * horizon: what a transaction below it wrote is there, so nothing that commits late is passed over.
 */

/** The last row taken. `xid` is a transaction id in decimal. */
export interface Cursor {
  xid: string;
  id: string;
}

export interface Positions {
  results: Cursor & {
    /** Results taken already of the row after the cursor. */
    taken: number;
  };
  derived: Cursor;
  alerts: Cursor;
  maintenance: Cursor;
}

/** True of rows after the cursor that no transaction under way can come before. Binds `:xid` and `:id`. */
export function afterCursor(alias: string): string {
  return `(${alias}.xid, ${alias}.id) > (CAST(:xid AS xid8), :id) AND ${alias}.xid < pg_snapshot_xmin(pg_current_snapshot())`;
}
