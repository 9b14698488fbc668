/** Records as the service answers them, with valid defaults, so that a test states only what matters. */

/** Returns a check; its id follows from the name: `chk_home_page`. */
export function aCheck(name: string, more: Record<string, unknown> = {}) {
  const id = `chk_${name.toLowerCase().replaceAll(" ", "_")}`;
  return {
    id,
    teamId: "team_1",
    name,
    type: "http",
    enabled: true,
    configJson: { url: "https://shop.example/" },
    frequencySeconds: 60,
    locations: ["loc_us_east"],
    retry: null,
    createdAt: "2026-05-01T00:00:00.000Z",
    updatedAt: null,
    ...more,
  };
}

/**
 * Returns a successful result of `chk_home`.
 * @param secondsAgo time before noon of 2026-06-01, which is the present of `runSvc`
 */
export function aResult(id: string, secondsAgo: number, more: Record<string, unknown> = {}) {
  const startedAt = new Date(Date.UTC(2026, 5, 1, 12) - secondsAgo * 1000).toISOString();
  return {
    id,
    checkId: "chk_home",
    runId: "run_1",
    traceId: null,
    locationId: "loc_us_east",
    status: "success",
    slotAt: startedAt,
    startedAt,
    completedAt: startedAt,
    reason: "scheduled",
    runnerId: null,
    lateMs: 0,
    responseTimeMs: 120,
    httpStatusCode: 200,
    errorCategory: null,
    errorMessage: null,
    timing: { totalMs: 120 },
    ...more,
  };
}

/** Returns the health of a check that has a success and a failure. */
export function aHealth(checkId: string, more: Record<string, unknown> = {}) {
  const slotAt = "2026-06-01T11:59:00.000Z";
  return {
    checkId,
    health: "healthy",
    failingLocations: [] as string[],
    results: [
      { id: "res_1", locationId: "loc_us_east", slotAt, status: "success", responseTimeMs: 100 },
      { id: "res_2", locationId: "loc_us_east", slotAt, status: "failure", responseTimeMs: 50 },
    ],
    ...more,
  };
}
