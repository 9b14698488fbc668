/** Asks for TLS on a plain connection, as the protocols do that begin in plain text. */
import type net from "node:net";
import type { StartTlsProtocol } from "@svc/contract";
import { textStart } from "../base/storable-text.ts";
import type { RunScope } from "../run/run-scope.ts";
import { PlainTalk } from "./plain-talk.ts";

/** Name that SMTP servers are greeted with: an address literal needs no name of this machine. */
const OWN_NAME = "[127.0.0.1]";
/** Lines of one answer that are read at most. */
const LINES_MAX = 100;
/** The request for TLS of PostgreSQL's protocol: its length, then the code 80877103. */
const POSTGRES_SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/** How each protocol asks for TLS. Returns when the handshake may begin. */
const START_TLS: Readonly<Record<StartTlsProtocol, (talk: PlainTalk) => Promise<void>>> = {
  // RFC 3207
  async smtp(talk) {
    await replyOf(talk, "220");
    talk.write(`EHLO ${OWN_NAME}\r\n`);
    const abilities = await replyOf(talk, "250");
    if (!abilities.some((line) => /^STARTTLS\s*$/i.test(line)))
      throw talk.refusal("it does not offer STARTTLS");
    talk.write("STARTTLS\r\n");
    await replyOf(talk, "220");
  },
  // RFC 9051, 6.2.1
  async imap(talk) {
    await answerOf(talk, (line) => line.startsWith("* "), /^\* (OK|PREAUTH)\b/i);
    talk.write("a1 STARTTLS\r\n");
    await answerOf(talk, (line) => line.startsWith("a1 "), /^a1 OK\b/i);
  },
  // RFC 2595, 4
  async pop3(talk) {
    await answerOf(talk, () => true, /^\+OK/i);
    talk.write("STLS\r\n");
    await answerOf(talk, () => true, /^\+OK/i);
  },
  // RFC 4217, 4
  async ftp(talk) {
    await replyOf(talk, "220");
    talk.write("AUTH TLS\r\n");
    await replyOf(talk, "234");
  },
  // PostgreSQL, 54.2.11: SSL Session Encryption
  async postgres(talk) {
    talk.write(POSTGRES_SSL_REQUEST);
    const answer = await talk.character();
    if (answer !== "S")
      throw talk.refusal(
        answer === "N" ? "it does not offer TLS" : "it answered the request for TLS with something else",
      );
  },
};

/**
 * Asks for TLS.
 * @throws TargetFailure when the server does not go along, or the signal's reason
 */
export async function startTls(
  protocol: StartTlsProtocol,
  socket: net.Socket,
  scope: Pick<RunScope, "url" | "signal" | "clock" | "step">,
): Promise<void> {
  scope.clock.enter("tls");
  scope.step = `${protocol}: asking for TLS`;
  const talk = new PlainTalk(socket, scope.url.host, scope.signal);
  try {
    await START_TLS[protocol](talk);
    talk.end();
    delete scope.step;
  } finally {
    talk.leave();
    scope.clock.leave();
  }
}

/** Returns the texts of a reply of SMTP or FTP, of one line or several. Throws when its code is another. */
async function replyOf(talk: PlainTalk, code: string): Promise<string[]> {
  const texts: string[] = [];
  for (let count = 0; count < LINES_MAX; count++) {
    const line = await talk.line();
    const [, found, separator, text = ""] = /^(\d{3})([ -]?)(.*)$/.exec(line) ?? [];
    if (found === undefined) {
      // FTP's replies may have lines without a code between the first and the last.
      if (texts.length > 0) continue;
      throw unexpected(talk, line);
    }
    if (found !== code) throw unexpected(talk, line);
    texts.push(text);
    if (separator !== "-") return texts;
  }
  throw talk.refusal(`its reply has more than ${LINES_MAX} lines`);
}

/** Reads lines until the one that is meant. Throws when that is no consent. */
async function answerOf(talk: PlainTalk, isMeant: (line: string) => boolean, consent: RegExp): Promise<void> {
  for (let count = 0; count < LINES_MAX; count++) {
    const line = await talk.line();
    if (!isMeant(line)) continue;
    if (!consent.test(line)) throw unexpected(talk, line);
    return;
  }
  throw talk.refusal(`it sent more than ${LINES_MAX} lines without an answer`);
}

function unexpected(talk: PlainTalk, line: string): Error {
  return talk.refusal(`it answered "${textStart(line, 200)}"`);
}
