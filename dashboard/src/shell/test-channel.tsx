/** The button that tries a notification channel. */
import type { channelRoutes } from "@svc/contract";
import { useState } from "react";
import { request } from "../api/request.ts";
import { Action } from "../ui/action.tsx";
import { Text } from "../ui/text.tsx";

/** Sends a test to a channel and says how it went. */
export function TestChannel({ id }: { id: string }) {
  const [outcome, setOutcome] = useState<string>();
  const test = async () => {
    setOutcome(undefined);
    const { success, delivery } = await request<typeof channelRoutes.test>(
      "POST",
      "/api/notification-channels/:id/test",
      { params: { id }, body: {} },
    );
    setOutcome(success ? "Delivered" : `Failed: ${delivery.error ?? "no reason given"}`);
  };
  return (
    <>
      <Action label="Send a test" isQuiet act={test} />
      {outcome !== undefined && (
        <span role="status">
          <Text>{outcome}</Text>
        </span>
      )}
    </>
  );
}
