/** Runs a paused monitor again: `svc monitors resume`. Harmless when it is running already. */
import { switchCommand } from "../../resources/monitors/switch-command.ts";

/** Defines `svc monitors resume`. The next run is at the monitor's next slot. */
export const command = switchCommand("resume");
