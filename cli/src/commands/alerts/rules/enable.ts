/** Enables an alert rule: `svc alerts rules enable`. */
import { ruleSwitchCommand } from "../../../resources/alerts/rule-switch-command.ts";

export const command = ruleSwitchCommand("enable");
