/** Answers of `svc reports`. */
import { reportRoutes } from "@svc/contract";
import type { Answers } from "./answers.ts";

/** Answers of `svc reports list`. */
export const reportsList: Answers = { data: reportRoutes.list.answer };

/** Answers of `svc reports show`. */
export const reportsShow: Answers = { data: reportRoutes.get.answer };

/** Answers of `svc reports recipients get` and `svc reports recipients set`. */
export const reportsRecipients: Answers = { data: reportRoutes.getSubscription.answer };
