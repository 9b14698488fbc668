/** The log of a program: JSON lines on stderr, and where else they are wanted. */
import { destination, type Logger, type LoggerOptions, multistream, pino } from "pino";

/**
 * Opens the log. Lines go to stderr, since stdout is for people and for a command's answer; synchronously, so that none is lost
 * at the end.
 * @param options level, and fields of every line
 * @param alsoTo receives each line, too; undefined: nobody does
 */
export function openLog(
  { level, base }: { level: string; base?: LoggerOptions["base"] },
  alsoTo?: (line: string) => void,
): Logger {
  const options = { level, base };
  const stderr = destination({ dest: 2, sync: true });
  if (!alsoTo) return pino(options, stderr);
  // The logger's level decides, not the streams'.
  const streams = [stderr, { write: alsoTo }].map((stream) => ({ stream, level: 0 }));
  return pino(options, multistream(streams));
}
