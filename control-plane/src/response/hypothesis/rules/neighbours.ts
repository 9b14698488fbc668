/** Looks at other checks of the failing hosts: when they succeed, not all of the host is down. */
import { counted, listed } from "@svc/contract";
import { distinct } from "../input.ts";
import { defineHypothesisRule } from "./define-rule.ts";

/** Rules the failing hosts in or out as a whole, by the state of other checks on them. */
export const neighbours = defineHypothesisRule("neighbours", ({ neighbours: others }) => {
  if (others.length === 0) return undefined;
  const fine = others.filter(({ isFailing }) => !isFailing);
  const hosts = listed(distinct(others.map(({ host }) => host)));
  if (fine.length === 0) {
    const verb = others.length === 1 ? "fails" : "fail";
    return { ruledIn: [`host: ${counted(others.length, "other check")} on ${hosts} ${verb}, too`] };
  }
  const verb = fine.length === 1 ? "succeeds" : "succeed";
  return {
    ruledOut: [`host: ${counted(fine.length, "other check")} on ${hosts} ${verb}, so not all of it is down`],
  };
});
