import { absence, defineReadinessProbe, type Finding, jsonObject, judged } from "./define.ts";

/** Agent2Agent protocol, agent discovery: the path since 0.3, and the one before. */
const PATHS = ["/.well-known/agent-card.json", "/.well-known/agent.json"];
/** Required by the protocol's AgentCard in every version so far. */
const REQUIRED_FIELDS = ["name", "description", "version", "capabilities", "skills"];

export const agentCard = defineReadinessProbe("agent_card", async (site) => {
  let finding: Finding | undefined;
  for (const path of PATHS) {
    const document = await site.fetch(path, "application/json");
    const absent = absence(path, document);
    if (!absent && document.kind === "served") {
      const card = jsonObject(document);
      const problems = card
        ? REQUIRED_FIELDS.filter((field) => !(field in card)).map((field) => `"${field}" is missing`)
        : ["it is not a JSON object"];
      return judged(
        path,
        `the agent "${String(card?.name).slice(0, 100)}" is announced at ${path}`,
        problems,
      );
    }
    if (absent && (!finding || absent.status === "fail")) finding = absent;
  }
  return finding as Finding;
});
