/** Lets a muted alert notify again: `svc alerts unmute`. */
import { alertCommand } from "../../resources/alerts/alert-command.ts";

export const command = alertCommand("unmute");
