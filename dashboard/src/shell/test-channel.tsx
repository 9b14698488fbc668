/** The button that tries a notification channel. */
import {
  CHANNEL_TEST_INTERVAL_SECONDS,
  type channelRoutes,
  type TestChannel as TestBody,
} from "@svc/contract";
import { useState } from "react";
import { RequestError, request } from "../api/request.ts";
import { useNowMs } from "../time/ago.tsx";
import { presentMs } from "../time/clock.ts";
import { Action } from "../ui/action.tsx";
import { Text } from "../ui/text.tsx";

/** Event that a test is about. */
export type TestEvent = NonNullable<TestBody["eventType"]>;

/**
 * Sends a test to a channel, says how it went, and counts down to when the next one can be sent.
 * @param props.eventType event that the test is about; absent: the first one that the channel gets
 */
export function TestChannel({ id, eventType }: { id: string; eventType?: TestEvent | undefined }) {
  const [outcome, setOutcome] = useState<string>();
  const [wait, setWait] = useState({ fromMs: 0, seconds: 0 });
  const test = async () => {
    setOutcome(undefined);
    try {
      const { success, delivery } = await request<typeof channelRoutes.test>(
        "POST",
        "/api/notification-channels/:id/test",
        { params: { id }, body: { ...(eventType && { eventType }) } },
      );
      setWait({ fromMs: presentMs(), seconds: CHANNEL_TEST_INTERVAL_SECONDS });
      setOutcome(success ? "Delivered" : `Failed: ${delivery.error ?? "no reason given"}`);
    } catch (error) {
      if (error instanceof RequestError && error.retryAfterSeconds !== undefined)
        setWait({ fromMs: presentMs(), seconds: error.retryAfterSeconds });
      throw error;
    }
  };
  return (
    <>
      <Action label="Send a test" isQuiet act={test} />
      {outcome !== undefined && (
        <span role="status">
          <Text>{outcome}</Text>
        </span>
      )}
      <Countdown {...wait} />
    </>
  );
}

/** Says for how long nothing can be sent; nothing once that is over. Not announced: it changes every second. */
function Countdown({ fromMs, seconds }: { fromMs: number; seconds: number }) {
  // The present that pages show may be a moment older than the answer that the countdown begins with.
  const passedMs = Math.max(0, useNowMs() - fromMs);
  const left = Math.ceil(seconds - passedMs / 1000);
  return left > 0 ? <span className="quiet nowrap">again in {left} s</span> : null;
}
