/** The other side of channels: HTTP endpoints that answer, fail or hang as the test says, and a mail server. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";
import { onTestFinished } from "vitest";

/** A request as it arrived. */
export interface Received {
  method: string;
  path: string;
  headers: http.IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came
  body: any;
  atMs: number;
}

/** An endpoint's answer. "hang": none, ever. */
export type Answer = "hang" | { status: number; headers?: Record<string, string>; body?: string };

export interface Receiver {
  url: string;
  received: Received[];
  /** Resolves when that many requests have arrived. */
  count(wanted: number): Promise<void>;
  /** Requests that wait for an answer now. */
  readonly open: number;
}

/** Starts an HTTP endpoint on a free loopback port until the test ends. @param answer to the nth request, from 0 */
export async function aReceiver(
  answer: (request: Received, nth: number) => Answer | Promise<Answer> = () => ({ status: 200 }),
): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  let open = 0;
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const one: Received = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body: text === "" ? undefined : JSON.parse(text),
      atMs: Date.now(),
    };
    received.push(one);
    open++;
    response.on("close", () => open--);
    for (const wake of [...waiting]) wake();
    const given = await answer(one, received.length - 1);
    if (given === "hang") return;
    response.writeHead(given.status, given.headers).end(given.body ?? "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    get open() {
      return open;
    },
    count: async (wanted) => {
      while (received.length < wanted)
        await new Promise<void>((resolve) => {
          const wake = () => {
            waiting.delete(wake);
            resolve();
          };
          waiting.add(wake);
        });
    },
  };
}

interface MailServer {
  url: string;
  /** Mails taken, with the addresses they were for. */
  mails: { to: string[]; mail: Email; raw: string }[];
}

/** Behaviour of a mail server beyond its addresses. */
interface MailServerTroubles {
  /** Stage that is refused with a 5xx reply. */
  refusedStage?: "connection" | "login" | "sender" | "mail";
  /** True while a mail is taken, and no reply says so. */
  isSilent?: () => boolean;
}

/** Starts a mail server until the test ends. @param refuse a reply code for an address, if it is refused */
export async function aMailServer(
  refuse: (address: string) => number | undefined = () => undefined,
  { refusedStage, isSilent = () => false }: MailServerTroubles = {},
) {
  const refusal = (stage: MailServerTroubles["refusedStage"]) =>
    stage === refusedStage ? Object.assign(new Error("refused"), { responseCode: 554 }) : undefined;
  const mails: MailServer["mails"] = [];
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    onConnect: (_session, callback) => callback(refusal("connection")),
    onAuth: (_auth, _session, callback) => callback(refusal("login") ?? null, { user: "user" }),
    onMailFrom: (_address, _session, callback) => callback(refusal("sender")),
    onRcptTo(address, _session, callback) {
      const code = refuse(address.address);
      callback(code ? Object.assign(new Error("refused"), { responseCode: code }) : undefined);
    },
    async onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      const raw = Buffer.concat(chunks).toString("utf8");
      mails.push({
        to: session.envelope.rcptTo.map(({ address }) => address),
        mail: await PostalMime.parse(raw),
        raw,
      });
      if (!isSilent()) callback(refusal("mail"));
    },
  });
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return { url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`, mails };
}
