/** Number of analyses that one check may have in its whole life. */
export const ANALYSES_PER_CHECK = 5;
/** Shortest time from one analysis of a check to its next. */
export const ANALYSIS_COOLDOWN_SECONDS = 300;
/** Number of analyses that a team may have in a calendar month (UTC), even if its plan allows more. */
export const ANALYSES_PER_MONTH = 50;
