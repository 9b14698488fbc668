/** Turns lines of pino's log into OpenTelemetry's log records. A line that is written within a span belongs to its trace. */
import type { AnyValueMap, Logger } from "@opentelemetry/api-logs";

/** pino's levels as OpenTelemetry's severities: SEVERITY_NUMBER_TRACE and so on. */
const SEVERITIES: Record<number, { severityNumber: number; severityText: string }> = {
  10: { severityNumber: 1, severityText: "TRACE" },
  20: { severityNumber: 5, severityText: "DEBUG" },
  30: { severityNumber: 9, severityText: "INFO" },
  40: { severityNumber: 13, severityText: "WARN" },
  50: { severityNumber: 17, severityText: "ERROR" },
  60: { severityNumber: 21, severityText: "FATAL" },
};

interface Line {
  level: number;
  /** Unix ms. */
  time: number;
  msg?: string;
  err?: { type?: string; message?: string; stack?: string };
}

/**
 * Writes one line as a record. Values that pino has masked stay masked, since the line is what goes to stderr, too.
 * @param line JSON of pino's
 */
export function emitLine(logger: Logger, line: string): void {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Line & AnyValueMap;
  logger.emit({
    ...(SEVERITIES[level] ?? {}),
    timestamp: time,
    ...(msg !== undefined && { body: msg }),
    attributes: {
      ...fields,
      ...(err && {
        "exception.type": err.type ?? "Error",
        "exception.message": err.message ?? "",
        "exception.stacktrace": err.stack ?? "",
      }),
    },
  });
}
