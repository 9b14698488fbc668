/** What the service answers, with valid defaults: a test states only what matters. */

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

/** @param secondsAgo before noon of 2026-06-01, which `runSvc` takes for now */
export function aResult(id: string, secondsAgo: number, more: Record<string, unknown> = {}) {
  const startedAt = new Date(Date.UTC(2026, 5, 1, 12) - secondsAgo * 1000).toISOString();
  return {
    id,
    checkId: "chk_home",
    runId: "run_1",
    traceId: null,
    locationId: "loc_us_east",
    status: "success",
    startedAt,
    finishedAt: startedAt,
    responseTimeMs: 120,
    httpStatusCode: 200,
    errorCategory: null,
    errorMessage: null,
    timing: { totalMs: 120 },
    ...more,
  };
}

export function aHealth(checkId: string, more: Record<string, unknown> = {}) {
  const slotAt = "2026-06-01T11:59:00.000Z";
  return {
    checkId,
    health: "healthy",
    failingLocations: [] as string[],
    results: [
      { locationId: "loc_us_east", slotAt, status: "success", responseTimeMs: 100 },
      { locationId: "loc_us_east", slotAt, status: "failure", responseTimeMs: 50 },
    ],
    ...more,
  };
}
