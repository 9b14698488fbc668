/** Routes of display links, and of the display sessions that a screen has by them. */
import * as z from "zod";
import { errorSchema } from "../base/error-schema.ts";
import { idSchema } from "../base/ids.ts";
import { successSchema } from "../base/success.ts";
import {
  createDisplayLinkSchema,
  createdDisplayLinkSchema,
  DISPLAY_LINKS_MAX,
  displayLinkSchema,
  displaySchema,
  openDisplaySchema,
} from "../resources/display-link.ts";
import { defineRoute } from "./route.ts";

const tag = "Display links";
const ended = { 410: errorSchema.describe("The link was revoked or has expired") };

/** Routes of display links, by operation. */
export const displayLinkRoutes = {
  create: defineRoute({
    method: "POST",
    path: "/api/display-links",
    access: "session_changes",
    tag,
    summary: "Make a link that opens the wall on a screen; the answer is the only one that shows its address",
    description: `A team has at most ${DISPLAY_LINKS_MAX}: 403 beyond that. Expired ones make way for a new one.`,
    body: createDisplayLinkSchema.prefault({}),
    status: 201,
    answer: z.object({ displayLink: createdDisplayLinkSchema }),
  }),
  list: defineRoute({
    method: "GET",
    path: "/api/display-links",
    access: "session",
    tag,
    summary: "List the team's display links, the newest first",
    answer: z.object({ displayLinks: z.array(displayLinkSchema) }),
  }),
  delete: defineRoute({
    method: "DELETE",
    path: "/api/display-links/:id",
    access: "session_changes",
    tag,
    summary: "Revoke a display link: its screens show no checks any more",
    params: z.object({ id: idSchema("displayLink") }),
    answer: successSchema,
  }),
  open: defineRoute({
    method: "POST",
    path: "/api/auth/display",
    access: "public",
    tag,
    summary: "Begin a display session by the secret of a link",
    description:
      "Sets a cookie that lasts until the link ends. It lets the browser read what the wall shows, and nothing else.",
    body: openDisplaySchema,
    answer: z.object({ display: displaySchema }),
    otherAnswers: ended,
  }),
  get: defineRoute({
    method: "GET",
    path: "/api/auth/display",
    access: "display",
    forDisplays: true,
    tag,
    summary: "Which wall this display session shows",
    description: "Renews the browser's cookie, since browsers keep none for longer than 400 days.",
    answer: z.object({ display: displaySchema }),
    otherAnswers: ended,
  }),
};
