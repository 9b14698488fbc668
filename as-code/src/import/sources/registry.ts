/** The import sources. To add one: its file beside this one, and one line here. */
import { defineFamily } from "@svc/contract";
import { blackbox } from "./blackbox.ts";
import { checkly } from "./checkly.ts";
import { datadog } from "./datadog.ts";
import { gatus } from "./gatus.ts";
import { grafana } from "./grafana.ts";
import { uptimeKuma } from "./uptime-kuma.ts";

/** The tools that monitors can be imported from, in the order in which they are documented. */
export const importSources = defineFamily("import source", [
  checkly,
  uptimeKuma,
  datadog,
  grafana,
  gatus,
  blackbox,
]);
