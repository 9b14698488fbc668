/** What the tabs of a check get. */
import type { checkRoutes } from "@svc/contract";
import type { Answer } from "../../api/request.ts";
import type { PageRange } from "../../ui/use-range.ts";

/** A check with its newest results. */
export type LoadedCheck = Answer<typeof checkRoutes.get>;

/** What every tab gets. */
export interface TabProps extends LoadedCheck {
  range: PageRange;
  nameOf(locationId: string): string;
}
