import { type StatusPageView, statusPageViewSchema } from "@svc/contract";
import * as z from "zod";

/** Returns a view as JSON, with the fields of its schema alone. */
export function viewJson(view: StatusPageView): string {
  return JSON.stringify(z.encode(statusPageViewSchema, view));
}
