/** Links between pages. */
import { type PageName, type PageParameters, pagePath } from "@svc/contract";
import type { ReactNode } from "react";
import { Link } from "wouter";

/** Shows a link to a page. */
export function PageLink<Name extends PageName>({
  page,
  parameters,
  children,
}: {
  page: Name;
  parameters: PageParameters<Name>;
  children: ReactNode;
}) {
  return <Link href={pagePath(page, parameters)}>{children}</Link>;
}
