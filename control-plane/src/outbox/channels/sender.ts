/** The shape of a channel's sender: how it lays out announcements, hands them over and reports the outcome. */
import type { ChannelConfig, ChannelType, FamilyMember } from "@svc/contract";
import type { Egress } from "@svc/egress";
import type { Announcement } from "../announcement.ts";

/** Settings of the operator, for all teams. */
export interface SenderSettings {
  smtpUrl: string | undefined;
  smtpFrom: string | undefined;
  /** Base URL that replaces the pager service's own: a proxy's, or a compatible service's. */
  pagingBaseUrl: string | undefined;
  /** Returns the base of links, without a trailing slash; known once the server listens. */
  publicUrl: () => string;
}

/** Surroundings of one attempt. */
export interface SendContext {
  /** Aborts when the time for the attempt is over. */
  signal: AbortSignal;
  /** Wall clock, Unix ms. */
  nowMs: () => number;
  /** Egress for addresses that users gave. */
  egress: Egress;
  /** Egress for addresses that the operator gave. */
  operatorEgress: Egress;
  settings: SenderSettings;
  /** The other side's name for the incident or alert, from the answer to an earlier notification. */
  externalId: string | undefined;
  /** Addresses that are left, since an earlier attempt reached the others; absent: all. */
  unreached?: readonly string[] | undefined;
  /**
   * Counts emails that are about to be sent from the operator's mail server; absent: nobody counts.
   * @throws SendError when the team has spent its budget
   */
  spendMails?: (count: number) => void;
  /** Warns the operator of a problem that did not keep the notification from being sent. */
  warn(message: string): void;
}

/** Outcome of an attempt that succeeded. */
export interface SendReport {
  httpStatus: number | null;
  /** The other side's name for the incident or alert, for later notifications. */
  externalId?: string;
  /** A remark for people, such as addresses that were refused. */
  note?: string;
  /** Addresses that were not reached and may be later, for an attempt at these alone; absent: none. */
  unreached?: readonly string[];
}

/** What a channel with templates sends, apart from its address and the headers of its own. */
interface PreviewedRequest {
  headers: Record<string, string>;
  text: string;
  /** Why a template was not used; absent: it was, or there is none. */
  problem?: string;
}

/** The configuration of one type. */
export type ConfigOf<Type extends ChannelType> = Extract<ChannelConfig, { type: Type }>;

/** Sender of one channel type; its type is the contract's. */
export interface ChannelSender<Config, Message, Type extends string = string> extends FamilyMember {
  readonly type: Type;
  /** True: it sends over the mail server of SVC_SMTP_URL. */
  readonly needsMailServer?: boolean;
  /** Returns the announcement in the channel's form. Pure. */
  render(announcement: Announcement, config: Config): Message;
  /** Returns what is sent of an announcement, templates applied. Sends nothing; absent: the type has no templates. */
  preview?(announcement: Announcement): Promise<PreviewedRequest>;
  /**
   * Makes one attempt to hand the message over.
   * @throws SendError, EgressDenied, GuardedFetchError, or the signal's reason
   */
  send(message: Message, context: SendContext): Promise<SendReport>;
}

/** Returns the sender of this channel type. */
export function defineSender<const Type extends ChannelType, Message>(
  type: Type,
  sender: Omit<ChannelSender<ConfigOf<Type>, Message>, "type">,
): ChannelSender<ConfigOf<Type>, Message, Type> {
  return { type, ...sender };
}

/** An attempt that failed. The message is safe to show to the team. */
export class SendError extends Error {
  /** True when an equal attempt may succeed later. */
  readonly mayRetry: boolean;
  readonly httpStatus: number | null;
  /** Delay that the other side asks for, ms. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    options: { mayRetry: boolean; httpStatus?: number; retryAfterMs?: number; cause?: unknown },
  ) {
    super(message, { cause: options.cause });
    this.name = "SendError";
    this.mayRetry = options.mayRetry;
    this.httpStatus = options.httpStatus ?? null;
    this.retryAfterMs = options.retryAfterMs;
  }
}
