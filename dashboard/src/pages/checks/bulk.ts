/** Does one thing to many checks, and says what became of them. */
import { BULK_CHECKS_MAX, type BulkOutcomes, type checkRoutes } from "@svc/contract";
import { useQueryClient } from "@tanstack/react-query";
import { type RequestParts, request } from "../../api/request.ts";
import { countText } from "../../time/format.ts";
import { say } from "../../ui/messages.tsx";

type Body = NonNullable<RequestParts<typeof checkRoutes.changeMany>["body"]>;
/** Change made to each check: the body of the request without its ids. */
type BulkAction = Body extends infer One ? (One extends Body ? Omit<One, "ids"> : never) : never;

/** A thing to do to checks. */
export interface BulkChange {
  readonly ids: readonly string[];
  readonly action: BulkAction;
  /** What has happened to a check, such as `paused`. */
  readonly done: string;
  /** Undoes it; absent: it can't be undone. */
  readonly undo?: Omit<BulkChange, "undo" | "done">;
}

/** Returns a function that does a thing to any number of checks. @throws RequestError when the request as a whole is refused */
export function useBulk(): (change: BulkChange) => Promise<void> {
  const client = useQueryClient();
  return async ({ ids, action, done, undo }) => {
    try {
      const outcomes = await changeAll(ids, action);
      const refused = outcomes.filter(({ status }) => status !== "done");
      const count = outcomes.length - refused.length;
      if (count > 0)
        say({
          text: `${countText(count, "check")} ${done}.`,
          ...(undo && {
            undo: async () => {
              const notUndone = (await changeAll(undo.ids, undo.action)).find(
                ({ status }) => status !== "done",
              );
              await client.invalidateQueries();
              if (notUndone) throw new Error(notUndone.error ?? "");
            },
          }),
        });
      if (refused.length > 0)
        say({
          text: `${countText(refused.length, "check")} not ${done}: ${[...new Set(refused.map(({ error }) => error))].join("; ")}`,
          isProblem: true,
        });
    } finally {
      void client.invalidateQueries();
    }
  };
}

async function changeAll(ids: readonly string[], action: BulkAction): Promise<BulkOutcomes["outcomes"]> {
  const outcomes: BulkOutcomes["outcomes"] = [];
  for (let from = 0; from < ids.length; from += BULK_CHECKS_MAX) {
    const body = { ...action, ids: ids.slice(from, from + BULK_CHECKS_MAX) } as Body;
    const part = await request<typeof checkRoutes.changeMany>("POST", "/api/checks/bulk", { body });
    outcomes.push(...(part.outcomes as BulkOutcomes["outcomes"]));
  }
  return outcomes;
}
