/** What can be done with several alerts at once. */
import type { alertInstanceRoutes } from "@svc/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { request } from "../../api/request.ts";
import { say } from "../../ui/messages.tsx";

const MUTE_MS = 60 * 60 * 1000;

/** What is done with each alert, by the word for what then was done. */
const ACTIONS = {
  acknowledged: (id: string) =>
    request<typeof alertInstanceRoutes.acknowledge>("POST", "/api/alerts/instances/:id/acknowledge", {
      params: { id },
    }),
  "muted for 1 hour": (id: string) =>
    request<typeof alertInstanceRoutes.mute>("POST", "/api/alerts/instances/:id/mute", {
      params: { id },
      body: { until: new Date(Date.now() + MUTE_MS).toISOString() },
    }),
  resolved: (id: string) =>
    request<typeof alertInstanceRoutes.resolve>("POST", "/api/alerts/instances/:id/resolve", {
      params: { id },
    }),
} as const;

const LABELS = [
  ["Acknowledge", "acknowledged"],
  ["Mute for 1 hour", "muted for 1 hour"],
  ["Resolve", "resolved"],
] as const;

/**
 * Shows the buttons. Alerts are worked off one after the other; one that is refused keeps none of the others from it.
 * @param props.onDone called afterwards
 */
export function BulkActions({ ids, onDone }: { ids: readonly string[]; onDone: () => void }) {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: async (done: keyof typeof ACTIONS) => {
      const refusals: string[] = [];
      for (const id of ids) await ACTIONS[done](id).catch(({ message }: Error) => refusals.push(message));
      return { done, refusals };
    },
    onSuccess: ({ done, refusals }) => {
      const count = ids.length - refusals.length;
      if (count > 0) say({ text: `${count} ${count === 1 ? "alert" : "alerts"} ${done}.` });
      if (refusals.length > 0)
        say({ text: `${refusals.length} not ${done}: ${[...new Set(refusals)].join(" ")}`, isProblem: true });
      onDone();
    },
    onSettled: () => client.invalidateQueries(),
  });
  return (
    <div role="toolbar" aria-label={`${ids.length} selected`} className="row alerts-selected">
      <span>{ids.length} selected</span>
      {LABELS.map(([label, done], index) => (
        <button
          key={label}
          type="button"
          className={index === 0 ? undefined : "quiet-button"}
          disabled={isPending}
          onClick={() => mutate(done)}
        >
          {label}
        </button>
      ))}
      <button type="button" className="quiet-button" disabled={isPending} onClick={onDone}>
        Clear
      </button>
    </div>
  );
}
