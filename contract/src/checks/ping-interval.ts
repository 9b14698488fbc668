/** Time between two packets of a ping check, ms: the shortest that the system's ping allows to everyone. */
export const PING_INTERVAL_MS = 200;
