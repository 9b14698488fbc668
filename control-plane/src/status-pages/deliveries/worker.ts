import { SECOND_MS } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import { createTeamEgress } from "../../platform/team-egress.ts";
import { WakeableWorker } from "../../platform/wakeable-worker.ts";
import { handOut, listAnnouncementsToHandOut } from "./announcement-store.ts";
import { StatusSender } from "./deliver.ts";

const POLL_INTERVAL_MS = 2 * SECOND_MS;
/** Announcements of a round, and subscribers for whom deliveries of each are made in one transaction. */
const ANNOUNCEMENTS_MAX = 20;
const SUBSCRIBERS_MAX = 500;

/**
 * Hands out announcements, each to some of its subscribers: all pages go on at one pace.
 * @returns true when there were any, so that more may wait
 */
export async function handOutAnnouncements(
  { knex, clock }: Pick<Services, "knex" | "clock">,
  signal: AbortSignal,
): Promise<boolean> {
  const keys = await listAnnouncementsToHandOut(knex, ANNOUNCEMENTS_MAX);
  for (const key of keys) {
    if (signal.aborted) return false;
    await handOut(knex, key, { nowMs: clock.nowMs(), subscribersMax: SUBSCRIBERS_MAX });
  }
  return keys.length > 0;
}

/** Starts the workers of a replica: one hands out, one sends mails, one posts to webhooks, none of which waits for another. */
export function startStatusDeliveries(services: Services): { close(): Promise<void> } {
  const { config, log } = services;
  const sender = new StatusSender(
    services,
    createTeamEgress({
      allowPrivate: config.egressPrivate === "allow",
      remedy: "the operator can set SVC_EGRESS_PRIVATE=allow on the control plane to notify it",
    }),
  );
  const start = (work: (signal: AbortSignal) => Promise<boolean>) => {
    const worker = new WakeableWorker({
      log,
      failureMessage: "updates of status pages could not be delivered; trying again",
      pollIntervalMs: POLL_INTERVAL_MS,
      work,
    });
    worker.start();
    return worker;
  };
  const workers = [
    start((signal) => handOutAnnouncements(services, signal)),
    start((signal) => sender.deliverDue("email", signal)),
    start((signal) => sender.deliverDue("webhook", signal)),
  ];
  return {
    close: async () => {
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}
