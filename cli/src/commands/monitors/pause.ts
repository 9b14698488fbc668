/** `svc monitors pause`. */
import { switchCommand } from "../../monitors/switch-monitor.ts";

export const command = switchCommand("pause");
