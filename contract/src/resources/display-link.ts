/**
 * Display links: each opens the team's wall, and nothing else, on a screen without a person. A link belongs to the team, and works
 * on any number of screens until it is revoked or expires.
 */
import * as z from "zod";
import { idSchema } from "../base/ids.ts";
import { keyNameSchema } from "../base/key-name.ts";
import { closedObject } from "../base/objects.ts";
import { DAY_MS } from "../base/time.ts";
import { timestampSchema } from "../base/timestamp.ts";
import { labelSchema } from "./labels.ts";

/** Time for which a display link works when its maker names none. */
export const DISPLAY_LINK_LIFETIME_MS = 365 * DAY_MS;
/** Longest time for which a display link may work. */
export const DISPLAY_LINK_LIFETIME_MS_MAX = 5 * 365 * DAY_MS;
/** Most display links of a team. */
export const DISPLAY_LINKS_MAX = 100;

/** Ways to group a wall. */
const WALL_GROUPINGS = ["label", "location", "type"] as const;
/** A way to group a wall. */
export type WallGrouping = (typeof WALL_GROUPINGS)[number];

/** Shortest and longest time for which a wall shows a page of tiles, in seconds. */
const ROTATE_SECONDS = { min: 5, max: 3600 } as const;

/** How a link's wall is filtered and laid out, as a link stores it. */
const viewFields = {
  label: z.string().nullable(),
  groupBy: z.enum(WALL_GROUPINGS).nullable(),
  rotateSeconds: z.number().int().nullable(),
};

/** Body of POST /api/display-links. */
export const createDisplayLinkSchema = closedObject({
  name: keyNameSchema.describe("Such as the screen's place."),
  label: labelSchema
    .nullable()
    .default(null)
    .describe(
      "Only checks with this label are shown; null: all. It chooses what is shown, and hides nothing.",
    ),
  groupBy: z.enum(WALL_GROUPINGS).nullable().default(null).describe("null: the checks are not grouped."),
  rotateSeconds: z
    .number()
    .int()
    .min(ROTATE_SECONDS.min)
    .max(ROTATE_SECONDS.max)
    .nullable()
    .default(null)
    .describe("Checks that don't fit are shown in turn, each page for so long; null: they are counted only."),
  expiresAt: z.iso
    .datetime({ offset: true, error: "expected an instant such as 2030-01-31T00:00:00Z" })
    .nullable()
    .default(null)
    .describe(
      "From this instant on the link is refused, at most 5 years from now; null: in 365 days. Use does not extend it.",
    ),
});
/** The name, view and lifetime of a new display link. */
export type CreateDisplayLink = z.output<typeof createDisplayLinkSchema>;

const commonFields = {
  id: idSchema("displayLink"),
  name: z.string(),
  ...viewFields,
  createdAt: timestampSchema,
  expiresAt: timestampSchema.describe("From this instant on it is refused."),
};

/** Schema of a display link as the list shows it: never with its secret. */
export const displayLinkSchema = z
  .object({
    ...commonFields,
    createdBy: idSchema("user").nullable().describe("Person who made it; null: the account is gone."),
    createdByName: z.string().nullable().describe("Email address of that person."),
    lastUsedAt: timestampSchema.nullable().describe("Exact to 5 minutes; null: never."),
    lastUsedAddress: z.string().nullable().describe("IP address of that use."),
  })
  .meta({ id: "DisplayLink" });
/** A display link without its secret. */
export type DisplayLink = z.infer<typeof displayLinkSchema>;

/** Schema of the answer to a display link's creation, the only one that shows `url`. */
export const createdDisplayLinkSchema = z
  .object({
    ...commonFields,
    url: z
      .string()
      .describe("Address to open on the screen. The secret stands after its `#`, which browsers don't send."),
  })
  .meta({ id: "CreatedDisplayLink" });
/** A new display link with its address, which is shown this once. */
export type CreatedDisplayLink = z.infer<typeof createdDisplayLinkSchema>;

/** Body of POST /api/auth/display. */
export const openDisplaySchema = closedObject({
  secret: z
    .string()
    .min(1, "a display link holds a secret after its #")
    .max(256, "no secret of a display link is that long"),
});

/** Schema of a display session: the link whose wall a screen shows. */
export const displaySchema = z
  .object({
    id: idSchema("displayLink"),
    name: z.string(),
    ...viewFields,
    teamName: z.string(),
    expiresAt: timestampSchema,
  })
  .meta({ id: "Display" });
/** The link whose wall a screen shows. */
export type Display = z.infer<typeof displaySchema>;
