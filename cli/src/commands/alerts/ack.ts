/**
 * Acknowledges an active alert: `svc alerts ack`. In any other state the service answers a conflict and nothing changes.
 */
import { alertCommand } from "../../resources/alerts/alert-command.ts";

/** Defines `svc alerts ack`; `data.state` is the alert's new state. */
export const command = alertCommand("ack");
