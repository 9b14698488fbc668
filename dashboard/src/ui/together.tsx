/** Parts of a page that appear at once: a part that came later would move the others. */
import { type ReactNode, useRef } from "react";
import { Skeleton } from "./skeleton.tsx";

/** The state of a query that decides whether it is waited for. */
interface Awaited {
  isPending: boolean;
  failureCount: number;
}

/**
 * Shows its children once every query has an answer or has failed for the first time, and from then on; before that a skeleton.
 * @param props.queries those whose answers decide how large the children are
 * @param props.heightsPx of the skeleton's panels
 */
export function Together({
  queries,
  heightsPx,
  children,
}: {
  queries: readonly Awaited[];
  heightsPx: readonly number[];
  children: ReactNode;
}) {
  const isShown = useRef(false);
  isShown.current ||= queries.every(({ isPending, failureCount }) => !isPending || failureCount > 0);
  return isShown.current ? children : <Skeleton heightsPx={heightsPx} />;
}
