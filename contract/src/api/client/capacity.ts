/** Client methods of the capacity of locations. */
import type * as z from "zod";
import type { CapacityPreview, previewCapacitySchema } from "../../capacity/capacity.ts";
import type { capacityRoutes } from "../capacity.ts";
import type { CallRoute } from "./rest-connection.ts";

type Routes = typeof capacityRoutes;

/** Returns the client methods of the capacity of locations. */
export const capacityMethods = (call: CallRoute) => ({
  /** Returns what changes of checks would do to the locations that they touch. Changes nothing. */
  previewCapacity: (body: z.input<typeof previewCapacitySchema>): Promise<CapacityPreview> =>
    call<Routes["preview"]>("POST", "/api/capacity/preview", { body }),
});
