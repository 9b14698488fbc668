/** Stops running a monitor: `svc monitors pause`. Harmless when it is paused already. */
import { switchCommand } from "../../resources/monitors/switch-command.ts";

/** Defines `svc monitors pause`. Its results and alert rules stay. */
export const command = switchCommand("pause");
