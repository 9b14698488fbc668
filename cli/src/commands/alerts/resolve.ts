/** Resolves an alert, whatever its monitor measures: `svc alerts resolve`. */
import { alertCommand } from "../../resources/alerts/alert-command.ts";

export const command = alertCommand("resolve");
