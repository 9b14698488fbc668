/** Lets a muted alert notify again: `svc alerts unmute`. */
import { alertCommand } from "../../resources/alerts/alert-command.ts";

/** Defines `svc alerts unmute`. An alert in a state that can't be muted is a conflict. */
export const command = alertCommand("unmute");
