/** Former names of settings, which go on to work. Pure. */

/** Former names of variables, which are taken as long as the present ones are not set. */
export const FORMER_NAMES: Record<string, string> = {
  SVC_ANALYSIS_LLM_URL: "SVC_LLM_BASE_URL",
  SVC_ANALYSIS_LLM_MODEL: "SVC_LLM_MODEL",
  SVC_ANALYSIS_LLM_KEY: "SVC_LLM_API_KEY",
  SVC_ANALYSIS_LLM_TIMEOUT_MS: "SVC_LLM_TIMEOUT_MS",
};

/** Gives values under former names their present ones. An endpoint of that time speaks OpenAI's protocol. */
export function withPresentNames(environment: Record<string, string | undefined>) {
  const formerNames = Object.entries(FORMER_NAMES)
    .filter(([former]) => environment[former])
    .map(([former, present]) => ({ former, present }));
  const values = formerNames.map(({ former, present }) => [present, environment[former]]);
  const provider = environment.SVC_ANALYSIS_LLM_URL ? { SVC_LLM_PROVIDER: "openai" } : {};
  const set = Object.entries(environment).filter(([, value]) => value);
  return {
    formerNames,
    environment: { ...provider, ...Object.fromEntries(values), ...Object.fromEntries(set) },
  };
}

/** Names the variables in a line as the operator wrote them. */
export function withGivenNames(issue: string, given: Record<string, string | undefined>): string {
  return Object.entries(FORMER_NAMES).reduce(
    (line, [former, present]) => (given[former] && !given[present] ? line.replaceAll(present, former) : line),
    issue,
  );
}
