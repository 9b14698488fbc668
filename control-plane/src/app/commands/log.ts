import { destination, type Logger, pino } from "pino";

/**
 * Returns the log: JSON lines on stderr, since stdout is for people and for a command's answer. Synchronous, so that no line
 * is lost at the end.
 */
export function createLog(level: string): Logger {
  return pino({ level, base: undefined }, destination({ dest: 2, sync: true }));
}
