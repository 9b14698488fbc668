/** Flags and fields of the commands that write rotas. */
import { type ApiClient, type Handover, handoverSchema, isObject, type NewRota } from "@svc/contract";
import { pickNamed } from "../lookup/pick-named.ts";
import { generalError } from "../runtime/cli-error.ts";
import { FILE_OPTION, type Fragment } from "./read-fragment.ts";

/** Values of these flags. */
export interface RotaOptions {
  name?: string;
  member?: string[];
  handover?: Handover;
  starts?: string;
  timezone?: string;
  file?: string;
}

/** Fields of a rota in svc.config.yaml. */
export const ROTA_FIELDS = ["name", "timezone", "startsAt", "handover", "members", "overrides"] as const;

const HANDOVER = /^(?:(?<weekday>[a-z]+)|(?<count>\d{1,3})(?<unit>[dh]))(?: (?<time>\d\d:\d\d))?$/;

/**
 * Returns the handover that was typed: `monday 09:00`, `1d 09:00` or `12h`.
 * @throws CliError when it is written otherwise
 */
function handoverOf(typed: string): Handover {
  const { weekday, count, unit, time } = HANDOVER.exec(typed.trim().toLowerCase())?.groups ?? {};
  const parsed = handoverSchema.safeParse(
    weekday !== undefined
      ? { type: "weekly", weekday, time }
      : unit === "d"
        ? { type: "daily", everyDays: Number(count), time }
        : { type: "hourly", everyHours: Number(count), ...(time !== undefined && { time }) },
  );
  if (parsed.success) return parsed.data;
  throw generalError(
    `--handover is "${typed}"; expected a weekday and a time, days and a time, or hours`,
    'For example: "monday 09:00", "1d 09:00" or "12h"',
  );
}

/** Flags for the fields of a rota, except its name. */
export const ROTA_OPTIONS = [
  {
    flags: "--member <person=channel>",
    description: "a person and their channel (name or id), in the order of turns; may be repeated",
    repeats: true,
  },
  {
    flags: "--handover <when>",
    description: "when the next one takes over: monday 09:00, 1d 09:00 or 12h",
    parse: handoverOf,
  },
  { flags: "--timezone <zone>", description: "IANA time zone of the handover" },
  FILE_OPTION,
] as const;

/** Returns the body of the request: the fragment's fields, replaced by those of flags. Absent ones are left out. */
export async function rotaBody(
  api: ApiClient,
  fragment: Fragment,
  { name, member, handover, starts, timezone }: RotaOptions,
): Promise<Partial<NewRota>> {
  const { members, ...fields } = fragment;
  const wanted = member === undefined ? membersOf(members) : typedMembers(member);
  return {
    ...fields,
    ...(name === undefined ? {} : { name }),
    ...(handover === undefined ? {} : { handover }),
    ...(starts === undefined ? {} : { startsAt: starts }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(wanted === undefined ? {} : { members: await withIds(api, wanted) }),
  };
}

type NamedMember = { name: string; channels: string[] };

/** Returns the members of a fragment. @throws CliError when they are written otherwise */
function membersOf(members: unknown): NamedMember[] | undefined {
  if (members === undefined) return undefined;
  if (!Array.isArray(members) || !members.every(isMember))
    throw generalError("members: expected a list of maps with name and channels");
  return members;
}

function isMember(value: unknown): value is NamedMember {
  return isObject(value) && typeof value.name === "string" && Array.isArray(value.channels);
}

/** Returns the members that were typed as `<person>=<channel>`; one that is typed again has one more channel. */
function typedMembers(typed: readonly string[]): NamedMember[] {
  const members = new Map<string, string[]>();
  for (const text of typed) {
    const at = text.indexOf("=");
    if (at < 1 || at === text.length - 1)
      throw generalError(
        `--member "${text}": expected <person>=<channel>`,
        'For example: --member "Ada=Ada by SMS"',
      );
    const name = text.slice(0, at);
    members.set(name, [...(members.get(name) ?? []), text.slice(at + 1)]);
  }
  return [...members].map(([name, channels]) => ({ name, channels }));
}

async function withIds(api: ApiClient, members: readonly NamedMember[]): Promise<NewRota["members"]> {
  const known = await api.listChannels();
  return members.map(({ name, channels }) => ({
    name,
    channelIds: [
      ...new Set(channels.map((one) => pickNamed("channel", String(one).replace(/^@/, ""), known).id)),
    ],
  }));
}
