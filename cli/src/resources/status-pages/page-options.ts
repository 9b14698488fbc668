/** Flags and fields of the commands that write status pages. */
import { type ApiClient, isObject, type NewStatusPage } from "@svc/contract";
import { pickNamed } from "../../lookup/pick-named.ts";
import { generalError } from "../../runtime/cli-error.ts";

/** Values of these flags. */
export interface PageOptions {
  title?: string;
  description?: string;
  component?: string[];
  publish?: boolean;
  mailSubscriptions?: boolean;
  file?: string;
}

/** Fields of a status page in svc.config.yaml. */
export const PAGE_FIELDS = [
  "slug",
  "title",
  "description",
  "isPublished",
  // The former name of isPublished.
  "published",
  "subscriptions",
  "components",
] as const;

/** Flags for the fields of a status page, except its slug. */
export const PAGE_OPTIONS = [
  { flags: "--title <title>", description: "title, which everybody reads" },
  { flags: "--description <text>", description: "text below the title" },
  {
    flags: "--component <name=monitor>",
    description: "a public name, and the name or id of its monitor; may be repeated; replaces the components",
    repeats: true,
  },
  { flags: "--publish", description: "let everybody read the page" },
  { flags: "--no-publish", description: "hide the page from everybody but the team" },
  { flags: "--mail-subscriptions", description: "let whoever reads the page have its notices mailed" },
  {
    flags: "--no-mail-subscriptions",
    description: "mail nothing to the page's subscribers, and take no more",
  },
] as const;

/**
 * Returns the body of the request: the fields of the file, replaced by those of flags. Absent ones are left out.
 * @throws CliError for a component that names no monitor, and for a field by both of its names
 */
export async function pageBody(
  api: ApiClient,
  { isPublished: written, published: formerly, components: listed, ...fields }: Record<string, unknown>,
  { title, description, component, publish, mailSubscriptions }: PageOptions,
): Promise<Partial<NewStatusPage>> {
  if (written !== undefined && formerly !== undefined)
    throw generalError("published is the former name of isPublished, which is there, too");
  const components = component?.map(componentOf) ?? listed;
  const isPublished = publish ?? written ?? formerly;
  return {
    ...fields,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(mailSubscriptions === undefined ? {} : { subscriptions: { email: mailSubscriptions } }),
    ...(isPublished === undefined ? {} : { isPublished }),
    ...(components === undefined ? {} : { components: await withIds(api, components) }),
  } as Partial<NewStatusPage>;
}

function componentOf(text: string): { name: string; monitor: string } {
  const at = text.indexOf("=");
  if (at < 1 || at === text.length - 1)
    throw generalError(`--component is "${text}"; expected a name and a monitor, e.g. "Website=Home page"`);
  return { name: text.slice(0, at), monitor: text.slice(at + 1) };
}

/** Returns components with ids of checks in place of names of monitors. What has another form is left to the service to refuse. */
async function withIds(api: ApiClient, components: unknown): Promise<unknown> {
  if (!Array.isArray(components)) return components;
  const checks = await api.listCheckSummaries();
  return components.map((component) => {
    if (!isObject(component) || typeof component.monitor !== "string") return component;
    const { monitor, ...rest } = component;
    return { ...rest, checkId: pickNamed("monitor", monitor as string, checks).id };
  });
}
