/** Catalogue of the doctor's examinations, in the order in which their findings are shown. */
import type { Examination } from "@svc/contract";
import { examineAgents } from "./examine-agents.ts";
import { examineBrowser } from "./examine-browser.ts";
import { examineClock } from "./examine-clock.ts";
import { examineDatabase } from "./examine-database.ts";
import { examineDisk } from "./examine-disk.ts";
import { examineEgress } from "./examine-egress.ts";
import { examineMail } from "./examine-mail.ts";
import { examineSecrets } from "./examine-secrets.ts";
import { examineService } from "./examine-service.ts";
import { examineTls } from "./examine-tls.ts";
import type { Patient } from "./patient.ts";

/** All examinations. */
export const EXAMINATIONS: readonly Examination<Patient>[] = [
  { area: "database", examine: examineDatabase },
  { area: "secrets", examine: examineSecrets },
  { area: "service", examine: examineService },
  { area: "clock", examine: examineClock },
  { area: "disk", examine: examineDisk },
  { area: "tls", examine: examineTls },
  { area: "smtp", examine: examineMail },
  { area: "egress", examine: examineEgress },
  { area: "agents", examine: examineAgents },
  { area: "browser", examine: examineBrowser },
];
