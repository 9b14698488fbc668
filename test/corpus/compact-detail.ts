/** Keeps of a result's detail what an analysis may look at, with everything volatile made equal. */
import type { ResultDetail } from "@svc/contract";
import { NOW_MS } from "./recording.ts";

const BODY_CHARACTERS = 200;
const REQUESTS_KEPT = 12;
const LINES_KEPT = 6;
/** Headers of answers that differ from run to run. */
const VOLATILE_HEADERS = new Set(["date", "mcp-session-id"]);
const ZERO_AT = new Date(0).toISOString();

/** Returns the detail in its kept form. Stable: equal failures give equal details. */
export function compactDetail(detail: ResultDetail): ResultDetail {
  const { response, networkRequestsJson, consoleLogsJson, mcpJson, steps } = detail;
  const kept: ResultDetail = {
    ...(detail.errorCategory && { errorCategory: detail.errorCategory }),
    ...(detail.errorMessage !== undefined && { errorMessage: detail.errorMessage }),
    ...(detail.assertions && { assertions: detail.assertions.filter(({ passed }) => !passed) }),
    ...(response && {
      response: {
        ...response,
        headers: Object.fromEntries(
          Object.entries(response.headers).filter(([name]) => !VOLATILE_HEADERS.has(name)),
        ),
        body: response.body.slice(0, BODY_CHARACTERS),
      },
    }),
    ...(detail.notes && { notes: detail.notes }),
    ...(networkRequestsJson && {
      networkRequestsJson: networkRequestsJson.slice(0, REQUESTS_KEPT).map((request) => ({
        ...request,
        startedAt: ZERO_AT,
        durationMs: request.durationMs === null ? null : 1,
      })),
    }),
    ...(consoleLogsJson?.length && {
      consoleLogsJson: consoleLogsJson.slice(0, LINES_KEPT).map((line) => ({ ...line, at: ZERO_AT })),
    }),
    ...(mcpJson && {
      mcpJson: {
        ...mcpJson,
        ...(mcpJson.testCalls && {
          testCalls: mcpJson.testCalls.map((call) => ({ ...call, durationMs: 1 })),
        }),
      },
    }),
    ...(steps && { steps: steps.map((step) => ({ ...step, startedAt: ZERO_AT, durationMs: 1 })) }),
  };
  return JSON.parse(steady(JSON.stringify(kept))) as ResultDetail;
}

/** Moves instants to the moment of the analysis, whole hours, and hides measured times in messages. */
function steady(text: string): string {
  const deltaMs = NOW_MS - Date.now();
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (at) =>
      at === ZERO_AT
        ? at
        : new Date(Math.round((Date.parse(at) + deltaMs) / 3_600_000) * 3_600_000).toISOString(),
    )
    .replaceAll(/127\.0\.0\.1:\d{4,5}/g, "127.0.0.1:8080");
}
