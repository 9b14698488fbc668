/** The form of answers of DNS as text, and which expectations of them can never hold. Pure. */

/** Types of records that can be asked for. */
export const RECORD_TYPES = ["A", "AAAA", "CNAME", "MX", "NS", "TXT", "SOA", "CAA", "SRV", "PTR"] as const;
type RecordType = (typeof RECORD_TYPES)[number];

/** Types of records whose text has names and numbers only. */
const OF_NAMES: ReadonlySet<string> = new Set(["CNAME", "NS", "PTR", "MX", "SRV", "SOA"]);

/** For each type whose answers have a form: that form, matched against the normal text, and in words. */
const FORMS: Readonly<Partial<Record<RecordType, { isFit(text: string): boolean; form: string }>>> = {
  A: { isFit: isIpv4, form: "an IPv4 address: 192.0.2.1" },
  AAAA: { isFit: isIpv6, form: "an IPv6 address: 2001:db8::1" },
  CNAME: { isFit: (text) => /^\S+$/.test(text), form: "a name: www.example.com" },
  NS: { isFit: (text) => /^\S+$/.test(text), form: "a name: ns1.example.com" },
  PTR: { isFit: (text) => /^\S+$/.test(text), form: "a name: host.example.com" },
  MX: { isFit: (text) => /^\d{1,5} \S+$/.test(text), form: "preference and host: 10 mail.example.com" },
  SRV: {
    isFit: (text) => /^(?:\d{1,5} ){3}\S+$/.test(text),
    form: "priority, weight, port and host: 10 5 5060 sip.example.com",
  },
  SOA: {
    isFit: (text) => /^\S+ \S+(?: \d{1,10}){5}$/.test(text),
    form: "two names and five numbers: ns1.example.com admin.example.com 1 7200 3600 1209600 300",
  },
  CAA: {
    isFit: (text) => /^\d{1,3} \S+ ".*"$/s.test(text),
    form: 'flags, tag and value: 0 issue "ca.example"',
  },
};

/** Returns an answer in the form in which two of them are compared: names in lower case and without their last dot. */
export function normalDnsAnswer(type: RecordType, text: string): string {
  if (OF_NAMES.has(type))
    return text
      .toLowerCase()
      .trim()
      .split(/\s+/)
      .map((part) => (part === "." ? part : part.replace(/\.$/, "")))
      .join(" ");
  // An IPv4 address has one form only.
  return type === "AAAA" && isIpv6(text) ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text;
}

interface AnswerExpectations {
  recordType: RecordType;
  expectContains?: readonly string[] | undefined;
  expectEquals?: readonly string[] | undefined;
  expectCount?: number | undefined;
}

interface AnswerProblem {
  field: "expectContains" | "expectEquals" | "expectCount";
  message: string;
}

/** Returns why expectations of answers can never hold: for the form of an answer, or because they contradict each other. */
export function answerProblems(config: AnswerExpectations): AnswerProblem[] {
  const { recordType, expectContains, expectEquals, expectCount } = config;
  const problems: AnswerProblem[] = [];
  for (const field of ["expectContains", "expectEquals"] as const)
    for (const text of config[field] ?? []) {
      const form = FORMS[recordType];
      if (form && !text.includes("{{") && !form.isFit(normalDnsAnswer(recordType, text)))
        problems.push({
          field,
          message: `"${text.slice(0, 60)}" is never an answer of type ${recordType}; expected ${form.form}`,
        });
    }
  const distinct = (texts: readonly string[] = []) =>
    new Set(texts.map((text) => normalDnsAnswer(recordType, text)));
  const [contained, equal] = [distinct(expectContains), distinct(expectEquals)];
  if (expectEquals)
    for (const text of contained)
      if (!equal.has(text))
        problems.push({
          field: "expectContains",
          message: `"${text.slice(0, 60)}" is not in expectEquals, so both can't hold`,
        });
  if (expectCount === undefined) return problems;
  const counts = { expectContains: contained.size, expectEquals: equal.size };
  if (counts.expectContains > expectCount)
    problems.push({ field: "expectCount", message: countMessage(expectCount, "expectContains", counts) });
  // Two texts may be joined to one answer of type TXT, so that more answers come than differ.
  const isOff =
    recordType === "TXT" ? counts.expectEquals > expectCount : counts.expectEquals !== expectCount;
  if (expectEquals && isOff)
    problems.push({ field: "expectCount", message: countMessage(expectCount, "expectEquals", counts) });
  return problems;
}

function countMessage<Field extends string>(
  expectCount: number,
  field: Field,
  counts: Readonly<Record<Field, number>>,
): string {
  return `is ${expectCount}, but ${field} has ${counts[field]} different answers, so both can't hold`;
}

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return (
    parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
  );
}

function isIpv6(text: string): boolean {
  return /^[\da-f:.]+$/i.test(text) && text.includes(":") && URL.canParse(`http://[${text}]`);
}
