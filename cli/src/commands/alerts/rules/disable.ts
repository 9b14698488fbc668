/** Disables an alert rule: `svc alerts rules disable`. */
import { ruleSwitchCommand } from "../../../resources/alerts/rule-switch-command.ts";

/** Defines `svc alerts rules disable`. A rule that is disabled already is not sent. */
export const command = ruleSwitchCommand("disable");
