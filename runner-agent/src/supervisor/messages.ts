/** Messages between the process that supervises and those that it started. Both run the same program, so they are not versioned. */

/** Sent to a process: drain and end, or answer what the health port was asked. */
export type ToProcess = { kind: "stop" } | { kind: "ask"; about: "metrics" | "reasons"; id: number };

/**
 * Sent by a process. `started`: its data folder and its database are open, and it works. `delivered`: it has drained, and is about to
 * end with nothing in its data folder that is to be sent.
 */
export type FromProcess =
  | { kind: "started" }
  | { kind: "delivered" }
  | { kind: "answer"; id: number; metrics?: string; reasons?: string[] };
