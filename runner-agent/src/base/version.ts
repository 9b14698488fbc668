/** Version of the agent's software, for display; kept equal to package.json's by a test. */
export const AGENT_VERSION = "0.11.0";
/** Version of svc.runner.v1 that this agent speaks. */
export const PROTOCOL_VERSION = 1;
