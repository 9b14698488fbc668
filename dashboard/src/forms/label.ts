/** Names of fields in words. */

/** Words that keep a spelling of their own. */
const SPELLINGS: Readonly<Record<string, string>> = {
  url: "URL",
  urls: "URLs",
  id: "ID",
  ids: "IDs",
  http: "HTTP",
  https: "HTTPS",
  json: "JSON",
  mcp: "MCP",
  ssl: "SSL",
  tls: "TLS",
  slo: "SLO",
  api: "API",
  ai: "AI",
  ip: "IP",
  tcp: "TCP",
  udp: "UDP",
  dns: "DNS",
  smtp: "SMTP",
  imap: "IMAP",
  pop3: "POP3",
  ftp: "FTP",
  postgres: "PostgreSQL",
  ttfb: "TTFB",
  openapi: "OpenAPI",
  ca: "CA",
  rcode: "RCODE",
};

/** Units that the last word of a name states. */
const UNITS: Readonly<Record<string, string>> = {
  ms: "ms",
  seconds: "seconds",
  minutes: "minutes",
  hours: "hours",
  days: "days",
  percent: "percent",
  bytes: "bytes",
};

/** Returns the name of a field as a label: `timeoutMs` is "Timeout in ms", `status_code` is "Status code". */
export function labelOf(name: string): string {
  const words = wordsOf(name);
  const unit = words.length > 1 ? UNITS[words.at(-1) as string] : undefined;
  const rest = unit === undefined ? words : words.slice(0, -1);
  const text = rest.map((word) => SPELLINGS[word] ?? word).join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1) + (unit === undefined ? "" : ` in ${unit}`);
}

/** Returns the name of a list's item: "assertion" of `assertions`, "expected tool" of `expectedTools`. */
export function itemLabelOf(name: string): string {
  const text = lowerFirst(labelOf(name));
  if (/^expect [a-z]+s$/.test(text)) return "expectation";
  if (text.endsWith("ies")) return `${text.slice(0, -3)}y`;
  return text.replace(/(?<=ss|x|ch|sh)es$|s$/, "");
}

/** Returns a label as it stands within a sentence: "Timeout" is "timeout", "URL" stays. */
export function lowerFirst(text: string): string {
  return /^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1);
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .trim()
    .split(/\s+/)
    .map((word) => word.toLowerCase());
}
