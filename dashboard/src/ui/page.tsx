/** The frame of a page: its heading, which takes the focus when the page opens, and the document's title. */
import { type ReactNode, useEffect, useRef } from "react";
import { setPageTitle } from "./document-title.ts";
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
  useEffect(() => setPageTitle(plainText(title)), [title]);
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
