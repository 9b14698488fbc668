/** Examines the service that runs here, by its address, and whether people reach it by the public URL. */

import { type Finding, found, isLoopbackHost, isObject, MINUTE_MS } from "@svc/contract";
import { createEgress, fetchGuarded } from "@svc/egress";
import { reachableUrl } from "../../platform/reachable-url.ts";
import { ROLLUPS_BEHIND_MAX_MS } from "../../response/heartbeat/find-fault.ts";
import { NOTIFICATIONS_STUCK_MS } from "../../response/notifications/metrics.ts";
import { areNotificationsStuck } from "../../response/notifications/queue-store.ts";
import { readDoneUntil } from "../../results/rollups/store.ts";
import type { Patient } from "./patient.ts";

const ANSWER_WITHIN_MS = 5_000;
const ANSWER_BYTES_MAX = 64 * 1024;

/** Returns whether the service is ready, does its background work, and answers at its public URL. */
export async function examineService(patient: Patient, signal: AbortSignal): Promise<Finding[]> {
  const { host, httpPort } = patient.config;
  const url = reachableUrl(host, httpPort);
  const answer = await ask(`${url}/readyz`, signal);
  const readiness =
    answer.status === undefined
      ? found.skipped(`no service answers at ${url}: it does not run here`)
      : answer.status === 200
        ? found.ok(`the service at ${url} is ready`)
        : found.problem(
            `the service at ${url} is not ready: ${answer.reason ?? `it answered ${answer.status}`}`,
            "look at the reason, and into the service's log",
          );
  return [
    readiness,
    ...(answer.status === 200 ? await workFindings(patient) : []),
    ...(await publicUrlFindings(patient, signal)),
  ];
}

async function workFindings({ knex, machine }: Patient): Promise<Finding[]> {
  if (!knex) return [];
  const findings: Finding[] = [];
  if (await areNotificationsStuck(knex, NOTIFICATIONS_STUCK_MS))
    findings.push(
      found.problem(
        `notifications have been due for ${NOTIFICATIONS_STUCK_MS / MINUTE_MS} minutes and none was sent`,
        "restart the control planes one after the other, and look into their logs",
      ),
    );
  const doneUntilMs = await readDoneUntil(knex);
  const behindMs = doneUntilMs === undefined ? 0 : machine.clock.nowMs() - doneUntilMs;
  if (behindMs > ROLLUPS_BEHIND_MAX_MS)
    findings.push(
      found.problem(
        `results have not been counted for ${Math.floor(behindMs / MINUTE_MS)} minutes`,
        "look into the service's log for the job that fails, and whether the database is overloaded",
      ),
    );
  return findings.length > 0 ? findings : [found.ok("results are counted and notifications go out")];
}

async function publicUrlFindings({ config }: Patient, signal: AbortSignal): Promise<Finding[]> {
  const { publicUrl, host } = config;
  if (!publicUrl) {
    if (isLoopbackHost(host.includes(":") ? `[${host}]` : host)) return [];
    return [
      found.warning(
        "SVC_PUBLIC_URL is not set: links in emails and alerts name the address that the service listens on",
        "set SVC_PUBLIC_URL to the address by which people reach the service",
      ),
    ];
  }
  const answer = await ask(`${publicUrl}/healthz`, signal);
  if (answer.status === 200 && answer.health === "ok")
    return [found.ok(`the service is reached at ${publicUrl}`)];
  const what =
    answer.status === undefined ? answer.reason : `it answered ${answer.status}, and not as the service does`;
  return [
    found.warning(
      `links that people receive may lead nowhere: ${publicUrl}/healthz can't be reached from here: ${what}`,
      "correct SVC_PUBLIC_URL, or the proxy in front of the service",
    ),
  ];
}

/** An answer; without a status the reason why there is none. */
interface Answer {
  status?: number;
  reason?: string | undefined;
  health?: unknown;
}

/** Requests an address of the service itself, wherever that is. */
async function ask(url: string, signal: AbortSignal): Promise<Answer> {
  try {
    const { status, body } = await fetchGuarded(createEgress({ allowPrivate: true }), url, {
      maxBytes: ANSWER_BYTES_MAX,
      timeoutMs: ANSWER_WITHIN_MS,
      maxRedirects: 3,
      signal,
    });
    const said = parsed(body.toString("utf8"));
    return { status, reason: typeof said.reason === "string" ? said.reason : undefined, health: said.status };
  } catch (error) {
    return { reason: (error as Error).message };
  }
}

/** Returns the object of a JSON text; an empty one for any other text. */
function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
