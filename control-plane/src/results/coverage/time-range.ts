/** A range of time, Unix ms: from the first instant on, up to but not including the second. */
export interface TimeRange {
  fromMs: number;
  toMs: number;
}
