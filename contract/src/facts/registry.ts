/** The kinds of result facts. To add one: its file beside this one, one line here, and its store in the control plane. */
import type * as z from "zod";
import { defineFamily } from "../base/family.ts";
import { mcpFact } from "./mcp.ts";
import { requestsFact } from "./requests.ts";
import { tlsFact } from "./tls.ts";

/** The kinds of result facts. */
export const factTypes = defineFamily("result fact", [tlsFact, mcpFact, requestsFact]);
/** The name of a kind of result fact, as on the wire. */
export type FactType = (typeof factTypes)["types"][number];

/** The definition of any kind of result fact. */
export type FactTypeMember = (typeof factTypes)["members"][number];

/** Facts of one result by their kind; a kind that was not observed, or that did not change, is absent. */
export type ResultFacts = {
  [Member in FactTypeMember as Member["type"]]?: z.infer<Member["schema"]>;
};
