/** The words of a claim that only facts may bring in: numbers, quotes, names; and words that play trouble down. Pure. */

/** True when the claim has a number, in digits or spelled out, that the known text does not have. */
export function hasUnknownNumbers(claim: string, known: string): boolean {
  const digits = claim.match(/\d+(?:[.,:-]\d+)*/g) ?? [];
  const spelled = wordsOf(claim).filter((word) => SPELLED_NUMBERS.has(word));
  return (
    digits.some((number) => !numberPattern(number).test(known)) ||
    spelled.some(
      (word) => !wordsOf(known).includes(word) && !numberPattern(SPELLED_NUMBERS.get(word) ?? "").test(known),
    )
  );
}

/** Returns a pattern of the number that is no part of a longer one; an instant's time may follow its `T`. */
function numberPattern(number: string): RegExp {
  return new RegExp(`(?<![A-SU-Za-z\\d]|\\d[.,:-])${escaped(number)}(?![\\d]|[.,]\\d)`);
}

function escaped(number: string): string {
  return number.replaceAll(/[.,:-]/g, "\\$&");
}

/** True when the claim quotes words that the known text does not have. */
export function hasUnknownQuotes(claim: string, known: string): boolean {
  const quotes = claim.matchAll(/"([^"]+)"|“([^”]+)”|`([^`]+)`|(?<![\p{L}\d])'([^']+)'(?!\p{L})/gu);
  return [...quotes].some((groups) => {
    const quoted = groups.slice(1).find((group) => group !== undefined) ?? "";
    return !known.includes(quoted);
  });
}

/**
 * True when the claim has a name that the known text does not have: a word with a capital letter, or one with a character that words of
 * the language do not have, such as a host or an identifier. The word at the beginning of a sentence has a capital in any case: it must
 * be known, or one of those with which sentences begin.
 */
export function hasUnknownNames(claim: string, known: string): boolean {
  const knownWords = new Set(wordsOf(known));
  return [...claim.matchAll(WORD)].some(({ 0: word, index }) => {
    const isName = /\p{Lu}/u.test(word) || /[\d._/@:-]/.test(trimmed(word));
    if (!isName) return false;
    const lower = trimmed(word).toLowerCase();
    const begins = index === 0 || /[.!?:]\s+$/.test(claim.slice(0, index));
    if (begins && FIRST_WORDS.has(lower)) return false;
    // The number in a word is judged as a number.
    if (/^\d[\d.,:-]*$/.test(lower) || GENERAL_NAMES.has(lower)) return false;
    return !knownWords.has(lower) && !isCompound(lower, knownWords);
  });
}

/** True when the word is two known or plain words with a hyphen, such as `five-minute`. */
function isCompound(word: string, known: ReadonlySet<string>): boolean {
  const parts = word.split("-");
  return parts.length > 1 && parts.every((part) => known.has(part) || /^\p{Ll}+$/u.test(part));
}

/** True when the claim says that there is no trouble, or that it may be left alone. */
export function reassures(claim: string): boolean {
  return wordsOf(claim).some((word) => REASSURING.has(word));
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}._/@:'’-]*/gu;

function wordsOf(text: string): string[] {
  return [...text.matchAll(WORD)].map(([word]) => trimmed(word).toLowerCase());
}

/** Returns the word without the marks at its end, and without a genitive. */
function trimmed(word: string): string {
  return word.replace(/[._/@:'’-]+$/u, "").replace(/['’]s$/u, "");
}

const SPELLED_NUMBERS = new Map(
  "two three four five six seven eight nine ten eleven twelve"
    .split(" ")
    .map((word, i) => [word, String(i + 2)]),
);
for (const [word, number] of [
  ["twenty", "20"],
  ["thirty", "30"],
  ["sixty", "60"],
  ["dozen", "12"],
  ["hundred", "100"],
  ["thousand", "1000"],
  ["million", "1000000"],
] as const)
  SPELLED_NUMBERS.set(word, number);

/** Words with which a sentence may begin. */
const FIRST_WORDS = new Set(
  (
    "a after all an and another as at ask because before both but by certificates check checks compare connections deployments during each " +
    "every everything failures few first follow for from if in it its locations look most neither no none nothing now on once one only other others " +
    "probably requests results runs several since so some that the their then there these they this those though to together until verify when " +
    "where which while with"
  ).split(" "),
);

/** Names that belong to the subject, not to any one target. */
const GENERAL_NAMES = new Set([
  "dns",
  "tls",
  "http",
  "https",
  "tcp",
  "ip",
  "api",
  "url",
  "ms",
  "utc",
  "i.e",
  "e.g",
]);

const REASSURING = new Set(
  (
    "fine healthy ok okay well normal normally resolved recovered recovers operational safe safely harmless ignore ignored ignoring disregard " +
    "unaffected undisturbed false"
  ).split(" "),
);
