/** Messages of DNS: the question that is sent, and the reading of whatever comes back. */
import { randomInt } from "node:crypto";
import { isIP } from "node:net";
import { type CheckConfigOf, normalDnsAnswer } from "@svc/contract";
import packet from "dns-packet";
import ipaddr from "ipaddr.js";
import { textStart } from "../base/storable-text.ts";
import { TargetFailure } from "../run/failures.ts";

/** The type of the records that are asked for. */
export type RecordType = CheckConfigOf<"dns">["recordType"];

/** A question, and its bytes. */
export interface Question {
  id: number;
  name: string;
  type: RecordType;
  bytes: Buffer;
}

/** An answer as a check judges it. */
interface Answer {
  type: string;
  text: string;
  ttlSeconds: number;
}

/** A reply to a question. */
export interface Reply {
  rcode: string;
  isAuthoritative: boolean;
  /** True when the reply had no place for everything, so that TCP has to be used. */
  isTruncated: boolean;
  /** Those of the type that was asked for. */
  answers: Answer[];
}

/** Size of replies over UDP that pass every network in one piece (DNS flag day 2020). */
const UDP_BYTES_MAX = 1232;

/** Longest text of an answer. */
const ANSWER_CHARACTERS_MAX = 4_096;

/** Returns a question about a name; about an address that stands for its name in the reverse tree, where PTR is asked for. */
export function questionOf(domain: string, type: RecordType): Question {
  const id = randomInt(65_536);
  const name = isIP(domain) !== 0 ? reverseName(domain) : domain.replace(/\.$/, "");
  const bytes = packet.encode({
    type: "query",
    id,
    flags: packet.RECURSION_DESIRED,
    questions: [{ type, name, class: "IN" }],
    additionals: [{ type: "OPT", name: ".", udpPayloadSize: UDP_BYTES_MAX, flags: 0, options: [] } as never],
  });
  return { id, name, type, bytes };
}

/** Returns the name of an address in the reverse tree (RFC 1035, 3.5, and RFC 3596, 2.5). */
function reverseName(address: string): string {
  const parsed = ipaddr.parse(address);
  if (parsed.kind() === "ipv4") return `${parsed.toByteArray().reverse().join(".")}.in-addr.arpa`;
  const digits = Buffer.from(parsed.toByteArray()).toString("hex");
  return `${[...digits].reverse().join(".")}.ip6.arpa`;
}

/**
 * Reads a reply.
 * @returns undefined when the message is none, or one to another question
 */
export function replyTo(question: Question, message: Buffer): Reply | undefined {
  const decoded = decode(message);
  if (decoded?.type !== "response" || decoded.id !== question.id) return undefined;
  const [asked] = decoded.questions ?? [];
  // Servers may leave the question out of a reply that refuses.
  if (asked && !(asked.type === question.type && isSameName(asked.name, question.name))) return undefined;
  const answers = (decoded.answers ?? []).filter((answer) => answer.type === question.type);
  return {
    rcode: decoded.rcode,
    isAuthoritative: decoded.flag_aa,
    isTruncated: decoded.flag_tc,
    answers: answers.map((answer) => ({
      type: answer.type,
      text: textOf(answer).slice(0, ANSWER_CHARACTERS_MAX),
      ttlSeconds: "ttl" in answer ? (answer.ttl ?? 0) : 0,
    })),
  };
}

/** Returns the failure of a server that answered with something else than a reply. */
export function noReply(server: string, message: Buffer): TargetFailure {
  return new TargetFailure({
    status: "error",
    category: "protocol",
    message: `${server} did not answer with a reply of DNS to the question: "${textStart(message.toString("latin1"), 100)}"`,
  });
}

type Decoded = packet.DecodedPacket & { rcode: string };

function decode(message: Buffer): Decoded | undefined {
  try {
    return packet.decode(message) as Decoded;
  } catch {
    return undefined;
  }
}

/** Returns an answer as text, names in lower case and without their last dot. */
function textOf(answer: packet.Answer): string {
  switch (answer.type) {
    case "A":
    case "AAAA":
      return normalDnsAnswer(answer.type, answer.data);
    case "CNAME":
    case "NS":
    case "PTR":
      return normalDnsAnswer(answer.type, answer.data);
    case "MX":
      return normalDnsAnswer("MX", `${answer.data.preference ?? 0} ${answer.data.exchange}`);
    case "SRV": {
      const { priority = 0, weight = 0, port, target } = answer.data;
      return normalDnsAnswer("SRV", `${priority} ${weight} ${port} ${target}`);
    }
    case "SOA": {
      const { mname, rname, serial, refresh, retry, expire, minimum } = answer.data;
      return normalDnsAnswer("SOA", [mname, rname, serial, refresh, retry, expire, minimum].join(" "));
    }
    case "CAA":
      return `${answer.data.flags ?? 0} ${answer.data.tag} "${answer.data.value}"`;
    case "TXT":
      return [answer.data].flat().map(String).join("");
    default:
      return "";
  }
}

function isSameName(a: string, b: string): boolean {
  return normalDnsAnswer("NS", a === "." ? "" : a) === normalDnsAnswer("NS", b);
}
