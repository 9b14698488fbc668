/** Answers of `svc dashboards`. */
import * as z from "zod";
import type { Answers } from "./answers.ts";

const installed = z.array(
  z.object({ pack: z.string(), where: z.string().describe("The file, or the address of the backend.") }),
);

/** Answers of `svc dashboards install`. */
export const dashboardsInstall: Answers = {
  data: z.object({ backend: z.string(), installed }),
  details: { installed },
};
