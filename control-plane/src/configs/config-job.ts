/**
 * Writing of a check's config in a job thread: leaving out what is a default parses a configuration once per field, and a
 * script has up to 512 KiB.
 */
import {
  CONFIG_FILE,
  configOf,
  createPlaceholders,
  type DescribedRecords,
  filesOf,
  schemaComment,
  type Unmanaged,
} from "@svc/as-code";
import {
  alertPolicySchema,
  alertRuleSchema,
  type CheckAsCode,
  channelSchema,
  checkSchema,
  incidentPolicySchema,
  maintenanceWindowSchema,
  rotaSchema,
  sloSchema,
  statusPageSchema,
  thirdPartyPatternSchema,
} from "@svc/contract";
import * as z from "zod";
import { defineThreadJob } from "../platform/threads/thread-job.ts";

/** The records that one config describes, credentials included. */
export interface ConfigInput {
  records: DescribedRecords;
  /** Records that the config leaves out; it names them in a comment. */
  unmanaged: readonly Unmanaged[];
  project: string;
  /** Address of the service, without a slash at its end. */
  apiUrl: string;
}

/** Records as the API answers them: a client, which writes configs, too, gets fields in the order of their schemas. */
const recordsSchema = z.object({
  checks: z.array(checkSchema),
  labels: z.record(z.string(), z.array(z.string())),
  alerts: z.array(alertRuleSchema.omit({ channels: true })),
  channels: z.array(channelSchema),
  patterns: z.array(thirdPartyPatternSchema),
  slos: z.array(sloSchema),
  policies: z.array(alertPolicySchema),
  rotas: z.array(rotaSchema),
  incidentPolicy: incidentPolicySchema.nullable(),
  statusPages: z.array(statusPageSchema),
  windows: z.array(maintenanceWindowSchema),
});

/** Job of {@link writeConfig}. */
export const configJob = defineThreadJob<ConfigInput, Pick<CheckAsCode, "files" | "secrets">>(
  "write_config",
  5_000,
);

/** Returns the files of the config, and the environment variables that it needs. */
export function writeConfig(input: ConfigInput): Pick<CheckAsCode, "files" | "secrets"> {
  const { files, secrets } = configWithSecrets(input);
  return { files, secrets: Object.keys(secrets).sort() };
}

/** Returns the files of the config, and the values by environment variable; they are secret, and stay in the thread. */
export function configWithSecrets({
  records,
  unmanaged,
  project,
  apiUrl,
}: ConfigInput): Pick<CheckAsCode, "files"> & { secrets: Record<string, string> } {
  const placeholders = createPlaceholders({});
  const files = filesOf("file", CONFIG_FILE, {
    project,
    config: configOf(recordsSchema.parse(records), placeholders),
    unmanaged,
    schemaLine: schemaComment(apiUrl),
  });
  const isConfig = (path: string) => path === CONFIG_FILE;
  return {
    files: [...files]
      .map(([path, text]) => ({ path, text }))
      .sort((a, b) => Number(isConfig(b.path)) - Number(isConfig(a.path))),
    secrets: placeholders.values(),
  };
}
