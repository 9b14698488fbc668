/** An observation of a run that not every check makes, and that alert conditions may need. */
export type Observation = "certificate" | "mcp_tools" | "missed_slots" | "phases" | "web_vitals";
