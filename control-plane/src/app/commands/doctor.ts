/** `svc-control-plane doctor`: examines the installation and says what to do. */
import { cleanJson, examineAll, findingsText, hasProblem, SECOND_MS } from "@svc/contract";
import { openLog } from "@svc/otel";
import { systemClock } from "../../platform/clock.ts";
import { ConfigError, parseConfig } from "../../platform/config.ts";
import { openPatient, thisMachine } from "../doctor/patient.ts";
import { EXAMINATIONS } from "../doctor/registry.ts";

/** Longest that one examination may take, ms: those of a database with many credentials read all of them. */
const TIME_LIMIT_MS = 60 * SECOND_MS;

/** Flags of `doctor`. */
export interface DoctorCommandOptions {
  /** True: with the defaults of `serve --local`. */
  local?: boolean;
  reach?: string[];
  mailTo?: string;
  /** True: print the findings as JSON. */
  json?: boolean;
}

/** Something does not work. The findings were printed: there is nothing more to say. */
export class ProblemsFoundError extends Error {}

/**
 * Prints what the examinations find.
 * @throws ProblemsFoundError when something does not work; ConfigError when a setting is bad
 */
export async function doctorCommand(
  { local = false, reach = [], mailTo, json = false }: DoctorCommandOptions,
  print: (text: string) => void,
): Promise<void> {
  for (const url of reach)
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new ConfigError(`--reach: ${url} is no http:// or https:// URL`);
  const config = parseConfig(process.env, { isLocal: local });
  const { patient, close } = await openPatient(config, {
    log: openLog({ level: "error" }),
    machine: thisMachine(systemClock),
    options: { mailTo, reach },
  });
  try {
    const findings = await examineAll(EXAMINATIONS, { subject: patient, timeLimitMs: TIME_LIMIT_MS });
    print(json ? cleanJson({ findings }) : findingsText(findings));
    if (hasProblem(findings)) throw new ProblemsFoundError();
  } finally {
    await close();
  }
}
