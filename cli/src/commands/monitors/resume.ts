/** Runs a paused monitor again: `svc monitors resume`. Harmless when it is running already. */
import { switchCommand } from "../../resources/monitors/switch-command.ts";

export const command = switchCommand("resume");
