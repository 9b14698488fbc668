/** Effects and symbols of notifications. */

/**
 * Effect of a notification on a page or a ticket that stands for its subject.
 * - `raise`: work is asked for; a page is triggered, a ticket is made
 * - `note`: the subject goes on; a page is updated, a ticket gets a note
 * - `acknowledge`: somebody works on it
 * - `end`: the subject is over; a page or ticket is resolved
 */
export type Effect = "raise" | "note" | "acknowledge" | "end";

/** Names of symbols as chat services know them. */
export type ChatSymbol =
  | "rotating_light"
  | "eyes"
  | "arrow_double_up"
  | "white_check_mark"
  | "heavy_plus_sign"
  | "repeat"
  | "memo"
  | "lock";
