/** `svc alerts ack`. */
import { alertCommand } from "../../alerts/act.ts";

export const command = alertCommand("ack");
