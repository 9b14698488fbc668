/** A part of a page with its four faces: loading, empty, failed, and what it shows. */

import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { instantText } from "../time/format.ts";

/** Shows a named part of a page. */
export function Panel({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className="panel" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/**
 * Shows what a query answered. While it loads, says so; after a failure, the API's sentence, and what was read before stays
 * with its instant.
 * @param props.children gets the answer
 * @param props.skeleton shown while it loads; default: a line that says so
 */
export function Loaded<Data>({
  query,
  children,
  skeleton = (
    <p className="loading" aria-busy="true">
      Loading …
    </p>
  ),
}: {
  query: UseQueryResult<Data>;
  children: (data: Data) => ReactNode;
  skeleton?: ReactNode;
}) {
  const { data, error, dataUpdatedAt, refetch } = query;
  const failure = error && (
    <div role="alert" className="problem">
      <p>
        {error.message}
        {data !== undefined &&
          ` Shown is what was true at ${instantText(new Date(dataUpdatedAt).toISOString())}.`}
      </p>
      <button type="button" onClick={() => void refetch()}>
        Retry
      </button>
    </div>
  );
  if (data === undefined) return failure || skeleton;
  return (
    <>
      {failure}
      {children(data)}
    </>
  );
}

/** Says that there is nothing to show, what would be here, and how to begin. */
export function Empty({ children }: { children: ReactNode }) {
  return <div className="empty">{children}</div>;
}
