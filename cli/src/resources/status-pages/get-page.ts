import type { ApiClient, StatusPage } from "@svc/contract";
import { pickNamed } from "../../lookup/pick-named.ts";

/** Argument of commands about one status page. */
export const PAGE_ARGUMENT = { name: "<slug-or-id>", description: "slug or id of the status page" };

/** A status page with its slug as the name by which people call it. */
export type NamedStatusPage = StatusPage & { name: string };

/**
 * Returns the status page with the id or slug.
 * @throws CliError when there is none
 */
export async function getPage(api: ApiClient, typed: string): Promise<NamedStatusPage> {
  const pages = await api.listStatusPages();
  return pickNamed(
    "status page",
    typed,
    pages.map((page) => ({ ...page, name: page.slug })),
  );
}
