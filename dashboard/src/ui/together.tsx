/** Parts of a page that appear at once: a part that came later would move the others. */
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Skeleton } from "./skeleton.tsx";

/** Time after which what is there is shown without the rest: one slow answer keeps nobody from reading the others. */
const WAIT_MS_MAX = 1_500;

/** The state of a query that decides whether it is waited for. */
interface Awaited {
  isPending: boolean;
  failureCount: number;
}

/**
 * Shows its children once every query has an answer or has failed for the first time, or after {@link WAIT_MS_MAX}, and from then on;
 * before that a skeleton.
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
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), WAIT_MS_MAX);
    return () => clearTimeout(timer);
  }, []);
  isShown.current ||=
    isLate || queries.every(({ isPending, failureCount }) => !isPending || failureCount > 0);
  return isShown.current ? children : <Skeleton heightsPx={heightsPx} />;
}
