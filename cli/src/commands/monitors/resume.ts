/** `svc monitors resume`. */
import { switchCommand } from "../../monitors/switch-monitor.ts";

export const command = switchCommand("resume");
