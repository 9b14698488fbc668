/** The check types. To add one: its file beside this one, one line here, and its probe in the probes package. */
import type * as z from "zod";
import { defineFamily } from "../base/family.ts";
import { browserCheck } from "./browser.ts";
import type { CheckTypeDefinition } from "./define-check-type.ts";
import { dnsCheck } from "./dns.ts";
import { grpcCheck } from "./grpc.ts";
import { heartbeatCheck } from "./heartbeat.ts";
import { httpCheck } from "./http.ts";
import { mcpCheck } from "./mcp.ts";
import { multistepCheck } from "./multistep.ts";
import { pingCheck } from "./ping.ts";
import type { PushedTraits } from "./pushed.ts";
import { tcpCheck } from "./tcp.ts";
import { tlsCheck } from "./tls.ts";
import { websocketCheck } from "./websocket.ts";

/** The check types, in the order in which they are documented. */
export const checkTypes = defineFamily("check type", [
  httpCheck,
  browserCheck,
  mcpCheck,
  tcpCheck,
  tlsCheck,
  dnsCheck,
  grpcCheck,
  websocketCheck,
  pingCheck,
  heartbeatCheck,
  multistepCheck,
]);

/** The definition of any check type: a union, of which `Extract<..., { type: "http" }>` is one. */
export type CheckTypeMember = (typeof checkTypes)["members"][number];
/** The name of a check type, such as `http`. */
export type CheckType = CheckTypeMember["type"];

/** The name of a check type whose checks report by themselves. */
export type PushedCheckType = Extract<CheckTypeMember, { pushed: PushedTraits }>["type"];

/** Returns the name of a check type as people read it; of a type that is not known here, as that of a newer service, its own. */
export function checkTypeTitle(type: string): string {
  const definition: Pick<CheckTypeDefinition, "title"> | undefined = checkTypes.find(type);
  return definition?.title ?? type;
}

/** Returns the traits of a pushed check type; undefined for a type that is probed or not known. */
export function pushedTraitsOf(type: string): PushedTraits | undefined {
  const definition: Pick<CheckTypeDefinition, "pushed"> | undefined = checkTypes.find(type);
  return definition?.pushed;
}

/** Returns the durations of a type's monitors, with the field of the configuration that holds the seconds of each. */
export function monitorDurationsOf(type: string): Readonly<Record<string, string>> {
  const definition: Pick<CheckTypeDefinition, "monitorDurations"> | undefined = checkTypes.find(type);
  return definition?.monitorDurations ?? {};
}

/** Returns the check types that are pushed, and those that are probed. */
export function checkTypesBy(how: "pushed" | "probed"): CheckType[] {
  return checkTypes.types.filter((type) => (pushedTraitsOf(type) !== undefined) === (how === "pushed"));
}

/** The configuration of a check of this type, defaults filled in. */
export type CheckConfigOf<Type extends CheckType> = z.infer<
  Extract<CheckTypeMember, { type: Type }>["configSchema"]
>;

type Intersection<Union> = (Union extends unknown ? (member: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** Schemas of the details of every check type's runs, by their names in a result. */
export type DetailFields = Intersection<CheckTypeMember["detailFields"]> & z.ZodRawShape;

/** Schemas of the details of every check type's runs, by their names in a result. */
export const detailFields = Object.assign(
  {},
  ...checkTypes.members.map((type) => type.detailFields),
) as DetailFields;
