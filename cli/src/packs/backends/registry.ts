/** The backends. To add one: its file beside this one, and one line here. */
import type { Backend } from "./backend.ts";
import { grafana } from "./grafana.ts";
import { kibana } from "./kibana.ts";

export const BACKENDS = { grafana, kibana } as const satisfies Record<string, Backend>;
export type BackendId = keyof typeof BACKENDS;
