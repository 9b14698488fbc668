/** `svc alerts resolve`. */
import { alertCommand } from "../../alerts/act.ts";

export const command = alertCommand("resolve");
