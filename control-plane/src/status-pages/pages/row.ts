import type { StatusPage } from "@svc/contract";
import type { PageRow } from "./store.ts";

/** Returns a page as the API shows it to its team. */
export function pageFromRow(row: PageRow): StatusPage {
  const { id, slug, title, description, isPublished, checkCount, createdAt, updatedAt } = row;
  const { hasMailSubscriptions, subscriberCount } = row;
  return {
    id,
    slug,
    title,
    description,
    components: row.components.map(({ name, checkId, labels }) => ({
      name,
      ...(checkId !== null && { checkId }),
      ...(labels !== null && { labels }),
    })),
    isPublished,
    subscriptions: { email: hasMailSubscriptions },
    subscriberCount,
    checkCount,
    createdAt,
    updatedAt,
  };
}

/** Returns the fields of a page that people set, as the change log compares them. */
export function describePage(row: PageRow): Record<string, unknown> {
  const { slug, title, description, components, isPublished, subscriptions } = pageFromRow(row);
  return { slug, title, description, components, isPublished, subscriptions };
}
