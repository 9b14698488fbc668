/** Test runs: a configuration that nobody has stored, run once for the person who writes it. */
import * as z from "zod";
import { uniqueItems } from "../base/fields.ts";
import { idSchema } from "../base/ids.ts";
import { closedObject } from "../base/objects.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { type CheckTypeMember, checkTypes, checkTypesBy, type PushedCheckType } from "../checks/registry.ts";
import { retrySchema } from "../checks/retry.ts";
import { resultSchema } from "./result.ts";

/** Limits of test runs: locations of one, test runs of one person or key in a minute, open ones of a team. */
export const TEST_RUN_LIMITS = { locationsMax: 3, perMinuteMax: 10, openMax: 3 } as const;

const commonFields = {
  locations: z
    .array(z.string().min(1).max(128))
    .min(1, "at least one location")
    .max(TEST_RUN_LIMITS.locationsMax, `at most ${TEST_RUN_LIMITS.locationsMax} locations`)
    .superRefine(uniqueItems),
  retry: retrySchema.nullable().default(null),
  checkId: idSchema("check")
    .nullable()
    .default(null)
    .describe("A check of the same type, whose stored secrets stand where the configuration says `***`."),
};

/** A type that can be tried: one that is probed. */
type ProbedMember = Exclude<CheckTypeMember, { type: PushedCheckType }>;

const probedTypes = checkTypesBy("probed");
const isProbed = (member: CheckTypeMember): member is ProbedMember => probedTypes.includes(member.type);

function createSchemaOf(member: ProbedMember) {
  return closedObject({
    ...commonFields,
    type: z.literal(member.type),
    [member.configKey]: member.configSchema,
  });
}

/** Type of the schema of the body that begins a test run of one type. */
type CreateSchemaOf<Member extends ProbedMember> = Member extends ProbedMember
  ? z.ZodObject<
      typeof commonFields & { type: z.ZodLiteral<Member["type"]> } & {
        [Key in Member["configKey"]]: Member["configSchema"];
      },
      z.core.$strict
    >
  : never;

/** Body of POST /api/test-runs: locations, and one configuration under the key that belongs to the type. */
export const createTestRunSchema = z.discriminatedUnion(
  "type",
  checkTypes.members.filter(isProbed).map(createSchemaOf) as [
    CreateSchemaOf<ProbedMember>,
    ...CreateSchemaOf<ProbedMember>[],
  ],
);
/** Body of the request that begins a test run, defaults filled in. */
export type CreateTestRun = z.infer<typeof createTestRunSchema>;

/** Phases of a test run at a location: waiting for a runner, under way, and its two ends. */
const TEST_RUN_PHASES = ["ordered", "running", "done", "failed"] as const;
/** Phase of a test run at a location. */
export type TestRunPhase = (typeof TEST_RUN_PHASES)[number];

/** Schema of what a test run found at a location: a result without its place in the history of a check. */
const testRunResultSchema = resultSchema
  .omit({
    id: true,
    checkId: true,
    runId: true,
    locationId: true,
    slotAt: true,
    reason: true,
    runnerId: true,
    lateMs: true,
    keptAssertions: true,
  })
  .meta({ id: "TestRunResult" });
/** A test run's findings at a location, with the detail; a success has its assertions and response, too. */
export type TestRunResult = z.infer<typeof testRunResultSchema>;

/** Schema of a test run as the API answers it. */
export const testRunSchema = z
  .object({
    id: idSchema("testRun"),
    type: z.enum(checkTypes.types),
    createdAt: timestampSchema,
    expiresAt: timestampSchema.describe("From then on it is not found."),
    locations: z.array(
      z.object({
        locationId: idSchema("location"),
        phase: z.enum(TEST_RUN_PHASES),
        runnerId: idSchema("runner").nullable().describe("The runner that took it; null while none has."),
        problem: z.string().nullable().describe("Why no runner ran it; null unless `failed`."),
        result: testRunResultSchema.nullable().describe("null unless `done`."),
        screenshots: z
          .array(z.object({ step: z.string().nullable(), path: z.string() }))
          .describe(
            "Pictures of the page: at most 6, of 1 MiB together. Fetch each by its path, with your credential.",
          ),
      }),
    ),
  })
  .meta({ id: "TestRun" });
/** A test run with how it goes at each location. */
export type TestRun = z.infer<typeof testRunSchema>;
