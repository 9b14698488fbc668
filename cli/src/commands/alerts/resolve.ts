/** Resolves an alert, whatever its monitor measures: `svc alerts resolve`. */
import { alertCommand } from "../../resources/alerts/alert-command.ts";

/** Defines `svc alerts resolve`; `data.durationMs` is the time that the alert lasted. */
export const command = alertCommand("resolve");
