import { alertCommand } from "../../resources/alerts/alert-command.ts";

export const command = alertCommand("resolve");
