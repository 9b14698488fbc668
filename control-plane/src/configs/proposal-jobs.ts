/** The work of judging a proposed config, in a job thread: the text is anybody's, and may be made to be slow to read. */
import { secretNamesIn } from "@svc/as-code";
import {
  type Desired,
  type Problem,
  problemLine,
  readConfigText,
  type TextSurroundings,
} from "@svc/as-code/config";
import {
  computePlan,
  createSecrets,
  NO_STATE,
  PlanError,
  planChangesJson,
  type Remote,
  summaryOf,
} from "@svc/as-code/plan";
import {
  channelConfigSchema,
  maskChannelConfigForRead,
  maskCheckConfigForRead,
  type SubmittedChannel,
} from "@svc/contract";
import { defineThreadJob } from "../platform/threads/thread-job.ts";

/** A proposed config as it was read. */
export interface ReadProposal {
  /** Everything wrong with it, a line each; empty for a valid config. */
  problems: string[];
  /** Names of its monitors, former ones included. */
  monitors: string[];
}

/** The differences that a deploy of a proposed config would make. */
export interface ProposalPlan {
  /** Says why the config can't be planned beside what the team has; undefined when it can. */
  refusal?: string;
  summary: ReturnType<typeof summaryOf>;
  /** Changes, without what stays as it is. */
  changes: ReturnType<typeof planChangesJson>;
  notes: string[];
}

/** Job of {@link readProposal}. */
export const proposalReadJob = defineThreadJob<string, ReadProposal>("read_proposal", 5_000);

/** Job of {@link planProposal}. */
export const proposalPlanJob = defineThreadJob<{ text: string; remote: Remote }, ProposalPlan>(
  "plan_proposal",
  5_000,
);

/** Reads and checks the text of a config. No problem shows the value of a secret. */
export function readProposal(text: string, surroundings: TextSurroundings = {}): ReadProposal {
  const { desired, problems, secrets: values } = readConfigText(text, surroundings);
  const secrets = createSecrets();
  for (const value of values) secrets.add(value);
  return {
    problems: problems.map((problem) => secrets.redact(lineOf(problem))),
    monitors: (desired?.monitors ?? []).flatMap(({ name, renamedFrom }) =>
      renamedFrom === undefined ? [name] : [name, renamedFrom],
    ),
  };
}

/**
 * Plans a valid config beside what the team has, whose credentials are masked. Those of the config are masked likewise, so that no
 * answer tells whether a guess at a credential is right.
 */
export function planProposal(
  { text, remote }: { text: string; remote: Remote },
  surroundings: TextSurroundings = {},
): ProposalPlan {
  const { desired, unfilled, secrets: values } = readConfigText(text, surroundings);
  if (!desired) throw new TypeError("only a valid config is planned");
  const secrets = createSecrets();
  for (const value of values) secrets.add(value);
  const unknown = secretNamesIn(text).filter(
    (name) => !(`SVC_SECRET_${name}` in (surroundings.secrets ?? {})),
  );
  const notes = [
    ...desired.notes.map(lineOf),
    ...unfilled.map((problem) => `${lineOf(problem)} (filled in by svc, from its environment)`),
    ...(unknown.length > 0 ? ["{{secrets.NAME}} stands for values that are not known here"] : []),
  ];
  // Names, notes and refusals quote the config as it was read, with its secrets filled in.
  const shown = (plan: ProposalPlan) => secrets.redactDeep(plan) as ProposalPlan;
  try {
    const plan = computePlan({
      desired: masked(desired),
      remote,
      state: NO_STATE,
      secrets,
      isPruning: false,
    });
    const changes = planChangesJson(plan).filter(({ type }) => type !== "unchanged");
    const ofLocations = plan.locationNotices.map(({ monitor, message }) => `${monitor}: ${message}`);
    return shown({ summary: summaryOf(plan), changes, notes: [...notes, ...ofLocations] });
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    const refusal = `${error.message}\n${error.hint}`;
    const summary = { create: 0, update: 0, delete: 0, unchanged: 0 };
    return shown({ refusal, summary, changes: [], notes });
  }
}

/** Returns the config with its credentials masked as those of the team's records are. */
function masked(desired: Desired): Desired {
  return {
    ...desired,
    monitors: desired.monitors.map((monitor) => ({
      ...monitor,
      config: maskCheckConfigForRead(monitor.type, monitor.config, { hasContent: true }),
    })),
    channels: desired.channels.map((channel) => ({
      ...channel,
      config: maskedChannel(channel.config) as typeof channel.config,
    })),
  };
}

/** Returns the object of a channel with its credentials masked, and with its defaults unless it is one of an earlier version's. */
export function maskedChannel(config: SubmittedChannel): Record<string, unknown> {
  const { data = config } = channelConfigSchema.safeParse(config);
  return maskChannelConfigForRead(data);
}

function lineOf(problem: Problem): string {
  return problemLine(problem).replaceAll("\n", " ");
}
