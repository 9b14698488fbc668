/** Examines the mail server: that it can be reached and takes the account, and on request that it takes a mail. */
import { counted, type Finding, found, newId } from "@svc/contract";
import { type AnySender, channelSenders } from "../../outbox/channels/registry.ts";
import { verifyMailServer } from "../../outbox/mail.ts";
import { createPlainMail } from "../../outbox/plain-mail.ts";
import { configuredPublicUrl } from "../../platform/config.ts";
import type { Patient } from "./patient.ts";
import { countChannels } from "./store.ts";

/** Returns whether emails can be sent. */
export async function examineMail(patient: Patient): Promise<Finding[]> {
  const { config, knex, options } = patient;
  if (!config.smtpUrl) {
    const channels = knex ? await countChannels(knex, typesByMail()) : 0;
    const remedy = "set SVC_SMTP_URL and SVC_SMTP_FROM";
    return [
      channels > 0
        ? found.problem(`${counted(channels, "channel")} can't deliver: no mail server is set`, remedy)
        : found.warning(
            "no mail server is set: people get no email, be it an alert or a warning of a key that expires",
            remedy,
          ),
    ];
  }
  const server = new URL(config.smtpUrl).host;
  try {
    await verifyMailServer(config.smtpUrl);
  } catch (error) {
    return [
      found.problem(
        `the mail server ${server} does not work: ${(error as Error).message}`,
        mailRemedy(error),
      ),
    ];
  }
  return [
    found.ok(`the mail server ${server} takes connections and the account`),
    ...(await testMail(patient, options.mailTo)),
  ];
}

/** Channel types that send over the mail server. */
function typesByMail(): string[] {
  const senders: readonly AnySender[] = channelSenders.members;
  return senders.filter(({ needsMailServer }) => needsMailServer).map(({ type }) => type);
}

async function testMail({ config }: Patient, mailTo: string | undefined): Promise<Finding[]> {
  if (!mailTo) return [];
  const send = createPlainMail({ config, publicUrl: () => configuredPublicUrl(config) });
  try {
    await send?.({
      id: newId("notification"),
      to: [mailTo],
      subject: "svc: test mail",
      lines: ["svc-control-plane doctor sent this mail to try the mail server."],
    });
    return [found.ok(`the mail server took a test mail from ${config.smtpFrom} to ${mailTo}`)];
  } catch (error) {
    return [
      found.problem(
        `the mail server did not take a test mail from ${config.smtpFrom} to ${mailTo}: ${(error as Error).message}`,
        "let the server's account send from the address in SVC_SMTP_FROM",
      ),
    ];
  }
}

/** Advice by nodemailer's code of the error. */
const REMEDIES: Record<string, string> = {
  EAUTH:
    "correct user and password in SVC_SMTP_URL; characters such as @ and / are written %40 and %2F there",
  EDNS: "correct the host name in SVC_SMTP_URL, or this machine's DNS",
  ETLS: "use smtps:// for a port that begins encrypted (465), and smtp:// for one that does not (587, 25)",
  ESOCKET:
    "look whether host and port in SVC_SMTP_URL are right and no firewall is between; smtps:// is for port 465 only",
  ECONNECTION: "look whether host and port in SVC_SMTP_URL are right and no firewall is between",
  ETIMEDOUT: "look for a firewall between this machine and the server: many networks block port 25",
};

function mailRemedy(error: unknown): string {
  const { code = "" } = error as NodeJS.ErrnoException;
  return REMEDIES[code] ?? "look at what the server said, and correct SVC_SMTP_URL";
}
