/** Enables an alert rule: `svc alerts rules enable`. */
import { ruleSwitchCommand } from "../../../resources/alerts/rule-switch-command.ts";

/** Defines `svc alerts rules enable`. A rule that is enabled already is not sent. */
export const command = ruleSwitchCommand("enable");
