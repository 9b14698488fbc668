/** A service as its clients need to know it: version, limits, retention, and what the operator has set up. */
import * as z from "zod";

const count = z.number().int().min(0);

/** A cap on what the team stores, with what it stores now. */
const capUseSchema = z.object({
  name: z.string().describe("Name of the cap, such as `checks` or `checkBytes`."),
  unit: z.enum(["records", "bytes"]),
  max: count.describe("The most that the operator lets a team store."),
  used: count.nullable().describe("What the team stores; null where no running total is kept."),
});
/** A cap on what the team stores, with what it stores now. */
export type CapUse = z.output<typeof capUseSchema>;

/** The limits of a team's plan; null: none. */
const planLimitsSchema = z.object({
  name: z.string(),
  maxChecks: count.nullable(),
  maxLocationsPerCheck: count.nullable(),
  minFrequencySeconds: count,
  analysisQuotaPerMonth: count,
  generationQuotaPerMonth: count,
});

/** A service as its clients need to know it. */
export const serviceMetaSchema = z.object({
  version: z.string().describe("Version of the control plane."),
  runnerPort: count.describe("Port at which runner agents connect to the control plane."),
  agentPackage: z
    .string()
    .nullable()
    .describe(
      "Path of the agent's npm package of this version, which `npx` and `npm install` take with the service's URL before it; null: this service runs from a checkout in which none was packed.",
    ),
  plan: planLimitsSchema,
  caps: z.array(capUseSchema),
  retention: z.object({
    resultsDays: count,
    rollupMonths: count,
    alertsDays: count,
    incidentsDays: count,
    historyDays: count.describe(
      "Deployment markers, past maintenance windows, deleted locations and the change log.",
    ),
    auditMonths: count,
  }),
  configured: z
    .object({
      mail: z.boolean().describe("Email channels can deliver: a mail server is set up."),
      analysisModel: z.boolean().describe("Analyses ask a language model."),
      generation: z.boolean().describe("Checks can be generated from a description."),
      billing: z.boolean(),
      identityProvider: z.boolean().describe("People sign in through an identity provider."),
    })
    .describe("What the operator has set up."),
});
/** A service as its clients need to know it. */
export type ServiceMeta = z.output<typeof serviceMetaSchema>;
