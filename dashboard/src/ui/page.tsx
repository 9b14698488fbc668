/** The frame of a page: its heading, which takes the focus when the page opens, and the document's title. */
import { type ReactNode, useEffect, useRef } from "react";
import { useLiveness } from "../live/live.tsx";
import { plainText } from "./text.tsx";

/** Shows a page. @param props.title what the page is about; also the document's title */
export function Page({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isStale = useLiveness().state === "stale";
  useEffect(() => {
    document.title = `${isStale ? "? " : ""}${plainText(title)} - svc`;
  }, [title, isStale]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <>
      <div className="page-head">
        <h1 ref={heading} tabIndex={-1}>
          <bdi>{plainText(title)}</bdi>
        </h1>
        {actions && <div className="actions">{actions}</div>}
      </div>
      {children}
    </>
  );
}
