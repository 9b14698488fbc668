/** The work of judging a fragment of a config, in a job thread: the text is anybody's, and credentials are filled in there alone. */
import {
  CONFIG_FILE,
  completeFragment,
  FragmentError,
  type FragmentNames,
  namesInFragment,
} from "@svc/as-code";
import type { Remote } from "@svc/as-code/plan";
import { defineThreadJob } from "../platform/threads/thread-job.ts";
import { type ConfigInput, configWithSecrets } from "./config-job.ts";
import { type ProposalPlan, planProposal, readProposal } from "./proposal-jobs.ts";

/** Names of a fragment, or why the text is none. */
type ReadNames = { problem: string; names?: never } | { names: FragmentNames; problem?: never };

/** A fragment, and what the team has of what it names. */
export interface FragmentInput {
  text: string;
  /** The monitors and channels that it names, credentials included. */
  existing: ConfigInput;
  /** Records that it is compared with; undefined: none, the team has too many. */
  remote: Remote | undefined;
}

/** A judged fragment. */
export interface JudgedFragment {
  /** Everything wrong with it, a line each; empty for a valid one. */
  problems: string[];
  /** The whole config, and the scripts of its monitors by path. Empty where the fragment can't be completed. */
  config: string;
  scripts: { path: string; text: string }[];
  /** Environment variables whose values stand in what the service has. */
  secrets: string[];
  /** The changes that a deploy would make; undefined for one that is not valid, and where nothing was compared. */
  plan?: ProposalPlan;
}

/** Job of {@link readFragmentNames}. */
export const fragmentNamesJob = defineThreadJob<string, ReadNames>("read_fragment_names", 2_000);

/** Job of {@link judgeFragmentText}. */
export const fragmentJob = defineThreadJob<FragmentInput, JudgedFragment>("judge_fragment", 8_000);

/** Lists the names that a fragment refers to. */
export function readFragmentNames(text: string): ReadNames {
  try {
    return { names: namesInFragment(text) };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

/** Completes a fragment by what the team has, checks the result, and plans it. */
export function judgeFragmentText({ text, existing, remote }: FragmentInput): JudgedFragment {
  const { files, secrets } = configWithSecrets(existing);
  const scripts = files.filter(({ path }) => path !== CONFIG_FILE);
  const names = Object.keys(secrets).sort();
  let config: string;
  try {
    config = completeFragment(text, files.find(({ path }) => path === CONFIG_FILE)?.text ?? "");
  } catch (error) {
    return { problems: [problemOf(error)], config: "", scripts: [], secrets: [] };
  }
  const whole = { config, scripts, secrets: names };
  const surroundings = { secrets, scripts: Object.fromEntries(scripts.map((one) => [one.path, one.text])) };
  const { problems } = readProposal(config, surroundings);
  if (problems.length > 0 || !remote) return { problems, ...whole };
  return { problems, ...whole, plan: planProposal({ text: config, remote }, surroundings) };
}

/** @throws the error itself when it is not about the fragment */
function problemOf(error: unknown): string {
  if (error instanceof FragmentError) return error.message;
  throw error;
}
