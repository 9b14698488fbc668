/** Stops running a monitor: `svc monitors pause`. Harmless when it is paused already. */
import { switchCommand } from "../../resources/monitors/switch-command.ts";

export const command = switchCommand("pause");
