/** `svc alerts unmute`. */
import { alertCommand } from "../../alerts/act.ts";

export const command = alertCommand("unmute");
