import { type Change, changeRoutes, changesQuerySchema } from "@svc/contract";
import * as z from "zod";
import { listChanges as listChangesOf } from "../../accounts/change-log/list-changes.ts";
import { readPage } from "../answers/page.ts";
import { pageInput, rangeInput } from "./inputs.ts";
import { defineTool } from "./tool.ts";

const { type, name, source, resourceId } = changesQuerySchema.shape;

/** Lists who changed the configuration. */
export const listChanges = defineTool({
  type: "list_changes",
  title: "Who changed what",
  description:
    "Lists changes of checks, alert rules, channels and other configuration, newest first: who, by which way, and which fields (secrets masked).",
  routes: [changeRoutes.list],
  input: z.strictObject({ type, name, source, resourceId, ...rangeInput, ...pageInput }),
  async run({ ctx }, { limit, next, ...filter }) {
    const page = await readPage({
      list: listChangesOf(ctx, filter),
      limit,
      next,
      view: ({ id: _, actor: _actor, ...change }: Change) => ({ ...change }),
    });
    return {
      summary: `${page.records.length} changes, newest first.`,
      changes: page.records,
      next: page.next,
    };
  },
});
