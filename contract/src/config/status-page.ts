/** A status page in svc.config.yaml: the fields of the API, with names of monitors instead of check ids. Notices are no part of it. */
import * as z from "zod";
import { closedObject } from "../base/objects.ts";
import { checkNameSchema } from "../resources/check.ts";
import {
  STATUS_COMPONENTS_MAX,
  statusComponentLabelsSchema,
  statusComponentNameSchema,
  statusPageDescriptionSchema,
  statusPageSubscriptionsSchema,
  statusPageTitleSchema,
  statusSlugSchema,
  uniqueComponentNames,
} from "../resources/status-page.ts";

const componentSchema = closedObject({
  name: statusComponentNameSchema.describe("Unique on the page, and public."),
  monitor: checkNameSchema.optional().describe("Name of the monitor that the component stands for."),
  labels: statusComponentLabelsSchema.optional(),
}).superRefine(({ monitor, labels }, context) => {
  if ((monitor === undefined) === (labels === undefined))
    context.addIssue({
      code: "custom",
      path: ["monitor"],
      message:
        monitor === undefined
          ? "a component has a monitor, or labels"
          : "a component has a monitor or labels, not both",
    });
});

/** Schema of a status page in svc.config.yaml. */
export const configStatusPageSchema = closedObject({
  slug: statusSlugSchema.describe(
    "Last part of the page's address, `/status/<slug>`. A deploy knows the page by it.",
  ),
  title: statusPageTitleSchema,
  description: statusPageDescriptionSchema.optional(),
  isPublished: z.boolean().optional().describe("False, the default: nobody but the team knows of the page."),
  published: z.boolean().optional().meta({ deprecated: true, description: "Former name of isPublished." }),
  subscriptions: statusPageSubscriptionsSchema.optional().describe("Who may subscribe; default: nobody."),
  components: z
    .array(componentSchema)
    .max(STATUS_COMPONENTS_MAX, `at most ${STATUS_COMPONENTS_MAX} components`)
    .superRefine(uniqueComponentNames)
    .optional()
    .describe("In the order in which the page shows them."),
}).superRefine(({ isPublished, published }, context) => {
  if (isPublished !== undefined && published !== undefined)
    context.addIssue({
      code: "custom",
      path: ["published"],
      message: "the former name of isPublished, which is there, too",
    });
});
