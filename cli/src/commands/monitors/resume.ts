import { switchCommand } from "../../resources/monitors/switch-command.ts";

export const command = switchCommand("resume");
