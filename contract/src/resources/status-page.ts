/** The status page resource: a public page that shows how chosen checks stand, without anything else that is known of them. */
import * as z from "zod";
import { uniqueItems } from "../base/fields.ts";
import { idSchema } from "../base/ids.ts";
import { nameSchema } from "../base/name-schema.ts";
import { closedObject, readOnlyField } from "../base/objects.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { labelSchema } from "./labels.ts";

/** Most components of a status page. */
export const STATUS_COMPONENTS_MAX = 50;
/** Most labels that a component asks for. */
const COMPONENT_LABELS_MAX = 20;
/** Most checks over all components of a status page: each costs reads of 90 days. */
export const STATUS_PAGE_CHECKS_MAX = 200;
/**
 * Most checks that may have the rarest label of a component: they are looked through for those that have its other labels. A component
 * with more is shown as unknown.
 */
export const STATUS_LABEL_CHECKS_MAX = 2_000;

/** Schema of the last part of a status page's address. */
export const statusSlugSchema = z
  .string()
  .min(3, "a slug has at least 3 characters")
  .max(63, "a slug has at most 63 characters")
  .regex(
    /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
    "a slug has lower case letters and digits, and single hyphens between them",
  );

/** Schema of the title of a status page. */
export const statusPageTitleSchema = nameSchema({ charactersMax: 120, isTrimmed: true });

/** Schema of the text below the title of a status page. */
export const statusPageDescriptionSchema = z
  .string()
  .max(2_000, "a description has at most 2000 characters")
  .describe("Shown below the title, as plain text.");

/** Schema of who may subscribe to a status page, as a caller sends it. */
export const statusPageSubscriptionsSchema = closedObject({
  email: z
    .boolean()
    .default(false)
    .describe("Whoever reads the page may have its notices mailed. Needs the operator's mail server."),
});

/** Schema of the name of a component, which the public reads in place of the names of checks. */
export const statusComponentNameSchema = nameSchema({ charactersMax: 120, isTrimmed: true });

/** Schema of the labels of a component's checks. */
export const statusComponentLabelsSchema = z
  .array(labelSchema)
  .min(1, "at least one label")
  .max(COMPONENT_LABELS_MAX, `at most ${COMPONENT_LABELS_MAX} labels`)
  .superRefine(uniqueItems)
  .describe("The component stands for every check that has all of them, now and later.");

/** A component as a caller sends it, by what names its checks. */
interface NamedComponent {
  name: string;
}

const componentSchema = closedObject({
  name: statusComponentNameSchema.describe("Unique on the page, and public."),
  checkId: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe("The check that the component stands for. When the check is deleted, its component goes."),
  labels: statusComponentLabelsSchema.optional(),
}).superRefine((component, context) => {
  const given = [component.checkId, component.labels].filter((field) => field !== undefined).length;
  if (given !== 1)
    context.addIssue({
      code: "custom",
      path: ["checkId"],
      message:
        given === 0
          ? "a component has a checkId, or labels"
          : "a component has a checkId or labels, not both",
    });
});

/** Adds an issue for each component whose name an earlier one has. */
export function uniqueComponentNames(components: readonly NamedComponent[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [index, { name }] of components.entries()) {
    if (seen.has(name))
      context.addIssue({
        code: "custom",
        path: [index, "name"],
        message: "another component of the page has this name",
      });
    seen.add(name);
  }
}

const componentsSchema = z
  .array(componentSchema)
  .max(STATUS_COMPONENTS_MAX, `at most ${STATUS_COMPONENTS_MAX} components`)
  .superRefine(uniqueComponentNames)
  .describe("In the order in which the page shows them.");

const readOnlyFields = {
  id: readOnlyField,
  checkCount: readOnlyField,
  subscriberCount: readOnlyField,
  createdAt: readOnlyField,
  updatedAt: readOnlyField,
};

const slugDescription =
  "Last part of the page's address, `/status/<slug>`. Unique over all teams of the service.";
const publishedDescription =
  "False: nobody but the team knows of the page; its address answers as one that does not exist.";

/** Body of POST /api/status-pages. */
export const createStatusPageSchema = closedObject({
  slug: statusSlugSchema.describe(slugDescription),
  title: statusPageTitleSchema,
  description: statusPageDescriptionSchema.default(""),
  components: componentsSchema.default([]),
  isPublished: z.boolean().default(false).describe(publishedDescription),
  subscriptions: statusPageSubscriptionsSchema.default({ email: false }),
  ...readOnlyFields,
});
/** Body of the request that creates a status page, defaults filled in. */
export type CreateStatusPage = z.infer<typeof createStatusPageSchema>;

/** Body of PUT /api/status-pages/:id: any part; a list of components replaces the stored one. */
export const updateStatusPageSchema = closedObject({
  slug: statusSlugSchema.describe(slugDescription).optional(),
  title: statusPageTitleSchema.optional(),
  description: statusPageDescriptionSchema.optional(),
  components: componentsSchema.optional(),
  isPublished: z.boolean().describe(publishedDescription).optional(),
  subscriptions: statusPageSubscriptionsSchema.optional(),
  ...readOnlyFields,
});
/** Body of the request that changes a status page. Absent fields stay as they are. */
export type UpdateStatusPage = z.infer<typeof updateStatusPageSchema>;

/** Schema of a status page as its team reads it. */
export const statusPageSchema = z
  .object({
    id: idSchema("statusPage"),
    slug: z.string(),
    title: z.string(),
    description: z.string(),
    components: z.array(
      z.object({
        name: z.string(),
        checkId: idSchema("check").optional(),
        labels: z.array(z.string()).optional(),
      }),
    ),
    isPublished: z.boolean(),
    subscriptions: z.object({ email: z.boolean() }),
    subscriberCount: z.number().describe("Confirmed subscribers, those by webhook included."),
    checkCount: z
      .number()
      .describe(
        `Checks that its components stand for. Beyond ${STATUS_PAGE_CHECKS_MAX} the components that no longer fit are shown as unknown, without history. Where more than ${STATUS_LABEL_CHECKS_MAX} checks have each label of a component, those of one label count.`,
      ),
    createdAt: timestampSchema,
    updatedAt: timestampSchema.nullable(),
  })
  .meta({ id: "StatusPage" });
/** A public page that shows how chosen checks stand. */
export type StatusPage = z.infer<typeof statusPageSchema>;
