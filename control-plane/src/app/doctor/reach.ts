/** Requests the URLs that the operator named, in the way that checks, webhooks and exports go. */
import { createEgress, fetchGuarded } from "@svc/egress";
import type { Patient } from "./patient.ts";

const ANSWER_WITHIN_MS = 10_000;
const ANSWER_BYTES_MAX = 64 * 1024;

/** Outcome of a request. */
export interface Reached {
  url: string;
  /** Undefined: there was no answer. */
  status: number | undefined;
  /** Reason why there was no answer. */
  reason: string | undefined;
  /** How far the clock in the answer is ahead of this machine's, ms, to about a second; undefined: it has none. */
  clockOffsetMs: number | undefined;
}

const requested = new WeakMap<Patient, Promise<Reached[]>>();

/** Requests each URL once, for all examinations that ask. */
export function reachAll(patient: Patient, signal: AbortSignal): Promise<Reached[]> {
  const asked =
    requested.get(patient) ?? Promise.all(patient.options.reach.map((url) => reach(patient, url, signal)));
  requested.set(patient, asked);
  return asked;
}

async function reach({ config, machine }: Patient, url: string, signal: AbortSignal): Promise<Reached> {
  const egress = createEgress({
    allowPrivate: config.egressPrivate === "allow",
    remedy: "set SVC_EGRESS_PRIVATE=allow to let checks, webhooks and exports go there",
  });
  const beforeMs = machine.clock.nowMs();
  try {
    const { status, headers } = await fetchGuarded(egress, url, {
      method: "HEAD",
      maxBytes: ANSWER_BYTES_MAX,
      timeoutMs: ANSWER_WITHIN_MS,
      maxRedirects: 0,
      signal,
    });
    const date = Date.parse(String(headers.date));
    // The header tells the second that had begun.
    const clockOffsetMs = Number.isNaN(date)
      ? undefined
      : date + 500 - (beforeMs + machine.clock.nowMs()) / 2;
    return { url, status, reason: undefined, clockOffsetMs };
  } catch (error) {
    return { url, status: undefined, reason: (error as Error).message, clockOffsetMs: undefined };
  }
}
