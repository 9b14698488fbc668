import { announceAlert } from "./announce-alert.ts";
import { announceIncident } from "./announce-incident.ts";
import { announceLocation } from "./announce-location.ts";
import { announceReport } from "./announce-report.ts";
import type { Announcement } from "./announcement.ts";
import type { Notification } from "./payload.ts";

/** Returns what a notification says, for a channel to lay out. Pure. */
export function announce(notification: Notification): Announcement {
  if (notification.about === "incident") return announceIncident(notification);
  if (notification.about === "report") return announceReport(notification);
  return notification.about === "location" ? announceLocation(notification) : announceAlert(notification);
}
