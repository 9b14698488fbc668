/** Warns the operator when several teams share a service that reaches private addresses although nobody decided so. */
import { MINUTE_MS } from "@svc/contract";
import { hasSecondTeam } from "../accounts/teams/store.ts";
import type { Services } from "../platform/services.ts";

const INTERVAL_MS = MINUTE_MS;

/** Watches the number of teams until there are two; then logs the warning, once. */
export function warnOfOpenNetwork({ knex, config, log }: Services): { close(): Promise<void> } {
  if (!config.isEgressPrivateByDefault) return { close: async () => undefined };
  let looking = look();
  const timer = setInterval(() => {
    looking = look();
  }, INTERVAL_MS);
  timer.unref();
  return {
    close: async () => {
      clearInterval(timer);
      await looking;
    },
  };

  async function look(): Promise<void> {
    const isShared = await hasSecondTeam(knex).catch(() => false);
    if (!isShared) return;
    clearInterval(timer);
    log.warn(
      "several teams share this service, and checks, webhooks and exports of each may reach private addresses of this network; set SVC_EGRESS_PRIVATE to deny, or to allow if that is meant",
    );
  }
}
