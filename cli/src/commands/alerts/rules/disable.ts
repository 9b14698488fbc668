/** Disables an alert rule: `svc alerts rules disable`. */
import { ruleSwitchCommand } from "../../../resources/alerts/rule-switch-command.ts";

export const command = ruleSwitchCommand("disable");
