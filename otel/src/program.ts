/** A program as its telemetry knows it, and the telemetry under way. */
import type { Registry } from "prom-client";

/** The program whose telemetry leaves. */
export interface OtelProgram {
  /** `service.name` unless `OTEL_SERVICE_NAME` says otherwise, such as `svc-runner`. */
  name: string;
  version: string;
  /** Returns the metrics that are sent, asked at each export; undefined: there are none yet. */
  registry: () => Registry | undefined;
  /** Called with a sentence when records can't be sent, at most once a minute. */
  onTrouble: (message: string) => void;
}

/** A program's telemetry under way. */
export interface Otel {
  /** Takes a line of pino's log; undefined: logs are not sent. */
  writeLine: ((line: string) => void) | undefined;
  /** Sends what is left, for at most 3 s. */
  close(): Promise<void>;
}
