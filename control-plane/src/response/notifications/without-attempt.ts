/** Decides which notifications are not attempted: those that quiet hours hold, and those that were held until their matter was over. */
import { announce } from "../../outbox/announce.ts";
import { audienceOf } from "../../outbox/audience.ts";
import { quietHoursOf, quietUntil } from "../../outbox/quiet-hours.ts";
import { type ClaimedNotification, sendingOf } from "./claimed-notification.ts";
import type { DeliveryAttempt } from "./delivery-store.ts";
import type { SendingTools } from "./send-claimed.ts";

const NONE = { httpStatus: null, durationMs: 0, nextDelayMs: null, heldUntil: null, externalId: undefined };

/**
 * Returns the record of a notification that is not attempted now; undefined when it is to be sent. An end of a matter is sent after
 * quiet hours where the channel was notified of the matter before them. Tests, and attempts by hand, are not asked about.
 */
export function withoutAttempt(
  claimed: ClaimedNotification,
  { log, secrets, settings, nowMs }: Pick<SendingTools, "log" | "secrets" | "settings" | "nowMs">,
): DeliveryAttempt | undefined {
  if (claimed.isTest || audienceOf(claimed.channelType) !== "people") return undefined;
  try {
    const { config, notification } = sendingOf(claimed, { secrets, publicUrl: settings.publicUrl() });
    const quietHours = quietHoursOf(config);
    if (!quietHours && !claimed.isOver) return undefined;
    const { severity, isEnding } = announce(notification);
    const isExcepted = quietHours?.exceptCritical === true && severity === "critical";
    const untilMs = quietHours && !isExcepted ? quietUntil(quietHours, nowMs()) : undefined;
    if (quietHours && untilMs !== undefined)
      return {
        ...NONE,
        status: "held",
        error: `held by the channel's quiet hours until ${quietHours.to} ${quietHours.timezone}`,
        heldUntil: new Date(untilMs).toISOString(),
      };
    if (!claimed.isOver || (claimed.wasNotified && isEnding)) return undefined;
    return { ...NONE, status: "skipped_over", error: "over when the channel's quiet hours ended; not sent" };
  } catch (error) {
    // The attempt fails for the same reason, and is recorded with it.
    log.debug({ err: error, channelId: claimed.channelId }, "quiet hours of a channel can't be read");
    return undefined;
  }
}
