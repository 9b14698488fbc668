/** Turns a status page into its entry of a config. Pure but for the names that `placeholders` gives. */
import type { Check, StatusPage } from "@svc/contract";
import type { Placeholders } from "./placeholders.ts";

/** Returns the entry. @param checks those that its components stand for; a component whose check is missing here is left out */
export function statusPageOf(
  { slug, title, description, isPublished, subscriptions, components }: StatusPage,
  checks: readonly Pick<Check, "id" | "name">[],
  { text }: Placeholders,
): Record<string, unknown> {
  const written = components.flatMap(({ name, checkId, labels }): Record<string, unknown>[] => {
    const monitor = checks.find(({ id }) => id === checkId)?.name;
    if (labels !== undefined) return [{ name: text(name), labels: [...labels].sort() }];
    return monitor === undefined ? [] : [{ name: text(name), monitor: text(monitor) }];
  });
  return {
    slug,
    title: text(title),
    ...(description === "" ? {} : { description: text(description) }),
    ...(isPublished ? { isPublished: true } : {}),
    ...(subscriptions.email ? { subscriptions: { email: true } } : {}),
    ...(written.length === 0 ? {} : { components: written }),
  };
}
