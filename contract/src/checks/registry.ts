/** The check types. To add one: its file beside this one, one line here, and its probe in the probes package. */
import type * as z from "zod";
import { browserConfigSchema } from "./browser.ts";
import { httpConfigSchema } from "./http.ts";
import { mcpConfigSchema } from "./mcp.ts";

export const CHECK_TYPES = {
  http: { configKey: "httpConfig", configSchema: httpConfigSchema },
  browser: { configKey: "browserConfig", configSchema: browserConfigSchema },
  mcp: { configKey: "mcpConfig", configSchema: mcpConfigSchema },
} as const;

export type CheckType = keyof typeof CHECK_TYPES;
export type CheckConfig<T extends CheckType = CheckType> = z.infer<(typeof CHECK_TYPES)[T]["configSchema"]>;
export const CHECK_TYPE_NAMES = Object.keys(CHECK_TYPES) as [CheckType, ...CheckType[]];
