/** The backends. To add one: its file beside this one, and one line here. */
import type { Backend } from "./backend.ts";
import { grafana } from "./grafana.ts";
import { kibana } from "./kibana.ts";

/** All backends by the ids that `--backend` takes. */
export const BACKENDS = { grafana, kibana } as const satisfies Record<string, Backend>;
/** Id of a backend. */
export type BackendId = keyof typeof BACKENDS;
