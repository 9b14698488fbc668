/** Mails over the operator's SMTP server: what one consists of, and how it is handed over. */
import { domainToASCII } from "node:url";
import { firstCharacters, withoutLineBreaks } from "@svc/contract";
import { createTransport } from "nodemailer";
import { SendError, type SendReport } from "./channels/sender.ts";

/** A mail before its encoding, and its position in its thread. */
export interface EmailMessage {
  to: string[];
  subject: string;
  text: string;
  html: string;
  /** Left side of the Message-ID: equal in each attempt, so that mail systems can drop a repetition. */
  id: string;
  threadId: string;
  isFirstOfThread: boolean;
  /** Address by which the reader ends such mails: opened, and posted to by mail programs (RFC 8058). Absent: there is none. */
  unsubscribeUrl?: string;
}

/** Longest subject of a mail, characters. */
export const SUBJECT_LENGTH_MAX = 200;
const TIMEOUT_MS = 10_000;
/** Silence of a mail server that is connected: some look a mail through before they answer. */
const SILENCE_MAX_MS = 30_000;

/** A mail server, the sender's address, and the base of this service's links. */
interface MailSettings {
  smtpUrl: string;
  smtpFrom: string;
  publicUrl: () => string;
}

/**
 * Hands a mail to the operator's mail server.
 * @throws SendError when the server can't take it
 */
export async function sendEmail(
  message: EmailMessage,
  { settings: { smtpUrl, smtpFrom, publicUrl }, signal }: { settings: MailSettings; signal: AbortSignal },
): Promise<SendReport> {
  const domain = new URL(publicUrl()).hostname;
  const thread = `<${message.threadId}@${domain}>`;
  const transport = transportTo(smtpUrl);
  try {
    const sent = await transport.sendMail({
      from: smtpFrom,
      to: message.to.map((address) => ({ name: "", address })),
      subject: message.subject,
      text: message.text,
      html: message.html,
      messageId: `<${message.id}@${domain}>`,
      ...(message.isFirstOfThread ? {} : { inReplyTo: thread }),
      references: [thread],
      headers: {
        "Auto-Submitted": "auto-generated",
        ...(message.unsubscribeUrl !== undefined && {
          // Folded, the address would no longer be one.
          "List-Unsubscribe": { prepared: true, foldLines: false, value: `<${message.unsubscribeUrl}>` },
          "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        }),
      },
      signal,
    });
    return reportOf(message.to, sent);
  } catch (error) {
    throw asSendError(error);
  } finally {
    transport.close();
  }
}

/** Connects to the mail server, with its account, and sends nothing. Rejects with nodemailer's error, whose `code` tells what failed. */
export async function verifyMailServer(smtpUrl: string): Promise<void> {
  const transport = transportTo(smtpUrl);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

function transportTo(smtpUrl: string) {
  return createTransport({
    url: smtpUrl,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: SILENCE_MAX_MS,
    dnsTimeout: TIMEOUT_MS,
    // The texts come from users and targets: none of them may make the transport load a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** A reply that refuses a recipient. */
interface Refusal {
  recipient?: string | undefined;
  responseCode?: number | undefined;
  response?: string | undefined;
}

/**
 * Reports a mail that the server took for some recipients at least. Those that it refused with a 4xx reply are left for later, since a
 * greylisting server takes the same mail after a while.
 * @param to the recipients as the message names them; the server's replies name them with the domain in ASCII and lower case
 */
function reportOf(
  to: readonly string[],
  {
    rejected = [],
    rejectedErrors = [],
  }: {
    rejected?: readonly (string | { address: string })[];
    rejectedErrors?: readonly Refusal[];
  },
): SendReport {
  if (rejected.length === 0) return { httpStatus: null };
  const failed = new Set(rejected.map((one) => sentFormOf(typeof one === "string" ? one : one.address)));
  const passing = rejectedErrors.filter(isPassing);
  const later = new Set(passing.map(({ recipient = "" }) => sentFormOf(recipient)));
  const addresses = to.filter((address) => failed.has(sentFormOf(address)));
  const unreached = addresses.filter((address) => later.has(sentFormOf(address)));
  const refused = addresses.filter((address) => !later.has(sentFormOf(address)));
  const notes = [
    ...(refused.length > 0 ? [`the mail server refused ${refused.join(", ")}`] : []),
    ...(unreached.length > 0
      ? [
          `the mail server did not take it yet for ${unreached.join(", ")}: ${replyOf(passing[0]?.response ?? "")}`,
        ]
      : []),
  ];
  return { httpStatus: null, note: notes.join("; "), ...(unreached.length > 0 && { unreached }) };
}

/** Returns an address in the form in which it is sent to a mail server. */
function sentFormOf(address: string): string {
  const at = address.lastIndexOf("@");
  return address.slice(0, at + 1) + domainToASCII(address.slice(at + 1).toLowerCase());
}

function isPassing({ responseCode }: Refusal): boolean {
  return responseCode === undefined || responseCode < 500;
}

/** Returns a server's reply in a length that is shown. */
function replyOf(response: string): string {
  return firstCharacters(withoutLineBreaks(response), 300);
}

/** Commands whose 5xx reply is about the recipients or the mail. Any other is about the operator's server or account, and passes. */
const FINAL_COMMANDS: readonly (string | undefined)[] = ["RCPT TO", "DATA"];

/**
 * Returns the failure as a SendError. A 5xx reply to all recipients or to the mail is final; a 4xx reply, a failed connection, and a
 * refused login or sender may be retried.
 */
function asSendError(error: unknown): unknown {
  if (!(error instanceof Error && "code" in error)) return error;
  const { response, command, message, rejectedErrors, ...refusal } = Object.assign(error) as Error &
    Refusal & { command?: string; rejectedErrors?: readonly Refusal[] };
  const isFinal = (rejectedErrors ?? [refusal]).every((one) => !isPassing(one));
  return new SendError(`the mail server could not take it: ${replyOf(response ?? message)}`, {
    mayRetry: !isFinal || !FINAL_COMMANDS.includes(command),
    cause: error,
  });
}
