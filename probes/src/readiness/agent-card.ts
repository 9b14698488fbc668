/** Looks for an agent card, by which the Agent2Agent protocol announces an agent. */
import { textStart } from "../base/storable-text.ts";
import { defineReadinessProbe } from "./define.ts";
import { firstServedJson, judged } from "./served.ts";

/** Agent discovery of the protocol: the path since version 0.3, and the one before. */
const PATHS = ["/.well-known/agent-card.json", "/.well-known/agent.json"];
/** Fields that every version of the protocol so far requires. */
const REQUIRED_FIELDS = ["name", "description", "version", "capabilities", "skills"];

/** Passes when a well-known path serves a card with all required fields. */
export const agentCard = defineReadinessProbe("agent_card", (site) =>
  firstServedJson(site, PATHS, (path, card) => {
    const problems = REQUIRED_FIELDS.filter((field) => !(field in card)).map(
      (field) => `"${field}" is missing`,
    );
    return judged(path, `the agent "${textStart(String(card.name), 100)}" is announced at ${path}`, problems);
  }),
);
