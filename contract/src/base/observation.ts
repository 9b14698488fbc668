/** An observation of a run that not every check makes, and that alert conditions may need. */
export type Observation = ObservationOfProbes | "certificate" | "mcp_tools" | "web_vitals";

/** An observation that every check makes whose runs are the service's own, and none that reports by itself. */
export type ObservationOfProbes = "missed_slots" | "phases" | "several_locations";
