/** Removes a subscriber of a status page, after a question: `svc status-pages subscribers delete`. */
import { pickNamed } from "../../../lookup/pick-named.ts";
import { getPage, PAGE_ARGUMENT } from "../../../resources/status-pages/get-page.ts";
import { subscriberName } from "../../../resources/status-pages/subscriber-name.ts";
import { defineCommand } from "../../../runtime/command.ts";
import { confirm } from "../../../runtime/confirm.ts";

/** Defines `svc status-pages subscribers delete`, which asks unless `--yes` is given. */
export const command = defineCommand<{ yes?: boolean }>({
  summary: "remove a subscriber: nothing further is sent there",
  answers: async () => (await import("../../../answers/deleted.ts")).deleted,
  arguments: [PAGE_ARGUMENT, { name: "<address-or-id>", description: "address or id of the subscriber" }],
  options: [{ flags: "--yes", description: "don't ask" }],
  examples: ["status-pages subscribers delete example-shop ada@example.com --yes"],
  async run(context, { yes }, [typed, subscriber]) {
    const api = context.api();
    const { id: pageId } = await getPage(api, typed as string);
    // Two webhooks of one host have one address: then the fingerprint is written behind it, as the list shows it.
    const subscribers = (await api.listStatusSubscribers(pageId)).map((one) => ({
      ...one,
      name: subscriberName(one) === subscriber ? subscriberName(one) : one.address,
    }));
    const found = pickNamed("subscriber", subscriber as string, subscribers);
    const { id } = found;
    const name = subscriberName(found);
    await confirm(context, `Remove subscriber ${name}`, yes);
    await api.deleteStatusSubscriber({ id: pageId, subscriberId: id });
    return { data: { deleted: true, id, name }, print: (out) => out.line(`Removed ${out.text(name)}.`) };
  },
});
