/** What a member of the channel family does, and how it says that it could not. */
import type { ChannelConfig, ChannelType } from "@svc/contract";
import type { Egress } from "@svc/egress";
import type { IncidentNotification, Notification } from "../payload.ts";

/** What the operator decided, for all teams. */
export interface SenderSettings {
  smtpUrl: string | undefined;
  smtpFrom: string | undefined;
  /** In place of the paging service's own address: a proxy, or a compatible service. */
  pagingBaseUrl: string | undefined;
  publicUrl: string;
}

export interface SendContext {
  /** Aborts when the time for the attempt is over. */
  signal: AbortSignal;
  /** The way out to addresses that users gave. */
  egress: Egress;
  /** The way out to addresses that the operator gave. */
  operatorEgress: Egress;
  settings: SenderSettings;
  /** What the other side calls the incident or alert, when an earlier notification said so. */
  externalId: string | undefined;
  /** Tells the operator of something that did not keep the notification from being sent. */
  warn(message: string): void;
}

/** It was handed over. */
export interface SendReport {
  httpStatus: number | null;
  /** What the other side calls the incident or alert from now on. */
  externalId?: string;
  /** What a person should know of it, e.g. that some addresses were refused. */
  note?: string;
}

/** One channel type. `render` (of an alert) and `renderIncident` are pure; `send` makes one attempt. */
export interface ChannelSender<Config, Message> {
  render(notification: Notification, config: Config): Message;
  renderIncident(notification: IncidentNotification, config: Config): Message;
  /** @throws SendError, EgressDenied, GuardedFetchError, or the signal's reason */
  send(message: Message, context: SendContext): Promise<SendReport>;
}

/** The configuration of one type. */
export type ConfigOf<Type extends ChannelType> = Extract<ChannelConfig, { type: Type }>;

/** It was not handed over. The message is safe to show to the team. */
export class SendError extends Error {
  /** Whether the same attempt may succeed later. */
  readonly mayRetry: boolean;
  readonly httpStatus: number | null;
  /** The other side's wish, ms. */
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
