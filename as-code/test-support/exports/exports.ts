/** Exports of the tools that monitors are imported from, written for tests by the forms that the tools document. */
import { BLACKBOX_JOBS, BLACKBOX_MODULES } from "./blackbox.ts";
import { CHECKLY } from "./checkly.ts";
import { DATADOG } from "./datadog.ts";
import { GATUS } from "./gatus.ts";
import { GRAFANA } from "./grafana.ts";
import { UPTIME_KUMA } from "./uptime-kuma.ts";

/** Every export, as contents of files, by the name of its source. */
export const EXPORTS: Readonly<Record<string, readonly (string | object)[]>> = {
  checkly: CHECKLY,
  "uptime-kuma": [UPTIME_KUMA],
  datadog: [DATADOG],
  grafana: [GRAFANA],
  gatus: [GATUS],
  blackbox: [BLACKBOX_MODULES, BLACKBOX_JOBS],
};
