/** Converts starts and ends of maintenance windows to log records. Pure. */
import type { MaintenanceEvent } from "../../checks/maintenance/event-store.ts";
import { ATTR, SERVICE_NAME } from "./attributes.ts";
import { type LogRecord, logRecord, resourceOf } from "./otlp.ts";

/** A start or end of a window, without the team that its export is of. */
export type ExportedMaintenanceEvent = Omit<MaintenanceEvent, "teamId">;

const RESOURCE = resourceOf({ [ATTR.serviceName]: SERVICE_NAME });

/** Returns the log record of an event of a maintenance window. */
export function maintenanceRecord(event: ExportedMaintenanceEvent): LogRecord {
  const atMs = Date.parse(event.createdAt);
  return logRecord({
    eventName: `synthetics.maintenance_window.${event.type}`,
    severity: "info",
    resource: RESOURCE,
    atMs,
    observedAtMs: atMs,
    body: `${event.windowName}: ${event.type}`,
    attributes: {
      [ATTR.maintenanceWindowId]: event.windowId,
      [ATTR.maintenanceWindowName]: event.windowName,
      [ATTR.maintenanceWindowMode]: event.mode,
      [ATTR.maintenanceWindowStartsAt]: event.occurrenceStartsAt,
      [ATTR.maintenanceWindowEndsAt]: event.occurrenceEndsAt,
    },
  });
}
