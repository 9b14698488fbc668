/** A curl command as the request of a check. */

/** The request that a command makes. */
export interface CurlRequest {
  url: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  auth?: { type: "basic"; username: string; password: string };
  followRedirects?: boolean;
  /** Options that a check has no field for. */
  leftOut: string[];
}

/** Options of curl that are followed by a value and mean nothing for a check. */
const IGNORED_WITH_VALUE = new Set(["-o", "--output", "-w", "--write-out", "--retry", "-c", "--cookie-jar"]);
/** Options of curl without a value that mean nothing for a check. */
const IGNORED = new Set([
  "-s",
  "--silent",
  "-S",
  "--show-error",
  "-v",
  "--verbose",
  "-i",
  "--include",
  "-f",
  "--fail",
  "--compressed",
  "-g",
  "--globoff",
  "-#",
  "-N",
]);

/** Returns the request that a text describes, if the text is a curl command with a URL. */
export function requestOfCurl(text: string): CurlRequest | undefined {
  const [command, ...words] = wordsOf(text.trim());
  if (command !== "curl") return undefined;
  const headers: Record<string, string> = {};
  const data: string[] = [];
  const leftOut: string[] = [];
  const found: Partial<CurlRequest> = {};
  let isQuery = false;
  const options = words.flatMap(splitOption);
  for (let i = 0; i < options.length; i++) {
    const word = options[i] as string;
    const value = () => options[++i] ?? "";
    if (word === "-X" || word === "--request") found.method = value().toUpperCase();
    else if (word === "-H" || word === "--header") addHeader(headers, value());
    else if (word === "-A" || word === "--user-agent") headers["User-Agent"] = value();
    else if (word === "-e" || word === "--referer") headers.Referer = value();
    else if (word === "-b" || word === "--cookie") headers.Cookie = value();
    else if (word === "-d" || word.startsWith("--data")) data.push(value());
    else if (word === "--json") {
      data.push(value());
      headers["Content-Type"] ??= "application/json";
      headers.Accept ??= "application/json";
    } else if (word === "-u" || word === "--user") found.auth = basicOf(value());
    else if (word === "-I" || word === "--head") found.method = "HEAD";
    else if (word === "-G" || word === "--get") isQuery = true;
    else if (word === "-L" || word === "--location") found.followRedirects = true;
    else if (word === "--url") found.url = value();
    else if (IGNORED_WITH_VALUE.has(word)) i++;
    else if (word.startsWith("-")) {
      if (!IGNORED.has(word)) leftOut.push(word);
    } else found.url ??= word;
  }
  if (!found.url) return undefined;
  const body = data.join("&");
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(found.url) ? found.url : `http://${found.url}`;
  if (isQuery && body !== "")
    return {
      ...found,
      url: `${url}${url.includes("?") ? "&" : "?"}${body}`,
      ...withHeaders(headers),
      leftOut,
    };
  const hasBody = data.length > 0;
  if (hasBody && !hasHeader(headers, "content-type"))
    headers["Content-Type"] = "application/x-www-form-urlencoded";
  return {
    ...found,
    url,
    ...(hasBody && found.method === undefined && { method: "POST" }),
    ...withHeaders(headers),
    ...(hasBody && { body }),
    leftOut,
  };
}

function withHeaders(headers: Record<string, string>): Pick<CurlRequest, "headers"> {
  return Object.keys(headers).length > 0 ? { headers } : {};
}

function hasHeader(headers: Record<string, string>, name: string): boolean {
  return Object.keys(headers).some((one) => one.toLowerCase() === name);
}

function addHeader(headers: Record<string, string>, line: string): void {
  const end = line.indexOf(":");
  if (end > 0) headers[line.slice(0, end).trim()] = line.slice(end + 1).trim();
}

function basicOf(text: string): CurlRequest["auth"] {
  const end = text.indexOf(":");
  return end < 0
    ? { type: "basic", username: text, password: "" }
    : { type: "basic", username: text.slice(0, end), password: text.slice(end + 1) };
}

/** Short options with a value that may be written without a space. */
const WITH_VALUE = /^-([XHdAuebow])(.+)$/s;

/** Returns the parts of `--option=value`, `-Xvalue` and `-sSL`. */
function splitOption(word: string): string[] {
  const long = /^(--[a-z-]+)=(.*)$/s.exec(word);
  if (long) return [long[1] as string, long[2] as string];
  const short = WITH_VALUE.exec(word);
  if (short) return [`-${short[1]}`, short[2] as string];
  return /^-[a-zA-Z#]{2,}$/.test(word) ? [...word.slice(1)].map((letter) => `-${letter}`) : [word];
}

/** Characters that a backslash escapes within double quotes. */
const ESCAPED_IN_QUOTES = new Set(['"', "\\", "$", "`"]);
const ANSI_ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

/** Returns the words of a shell command: quoted by ', " or $', or escaped by a backslash. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let i = 0; i < text.length; i++) {
    const letter = text[i] as string;
    if (letter === "\\") {
      i++;
      if (text[i] === "\r") i++;
      if (text[i] !== "\n") word = (word ?? "") + (text[i] ?? "");
    } else if (letter === "'" || letter === '"' || (letter === "$" && text[i + 1] === "'")) {
      const isAnsi = letter === "$";
      if (isAnsi) i++;
      const quote = isAnsi ? "'" : letter;
      word ??= "";
      for (i++; i < text.length && text[i] !== quote; i++) {
        const next = text[i + 1] ?? "";
        if (text[i] === "\\" && (isAnsi || (quote === '"' && ESCAPED_IN_QUOTES.has(next)))) {
          word += isAnsi ? (ANSI_ESCAPES[next] ?? next) : next;
          i++;
        } else if (text[i] === "\\" && quote === '"' && next === "\n") i++;
        else word += text[i];
      }
    } else if (/\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + letter;
  }
  if (word !== undefined) words.push(word);
  return words;
}
