/** The words of a claim that only facts may bring in: numbers, quotes, names; and words that play trouble down. Pure. */

/** True when the claim has a number, in digits or spelled out, that the known text does not have. */
export function hasUnknownNumbers(claim: string, known: string): boolean {
  const digits = claim.match(/\d+(?:[.,:-]\d+)*/g) ?? [];
  const knownWords = wordsOf(known);
  return (
    digits.some((number) => !numberPattern(number).test(known)) ||
    wordsOf(claim).some((word) => {
      const number = spelledNumber(word);
      return number !== undefined && !knownWords.includes(word) && !numberPattern(String(number)).test(known);
    })
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
  return wordsOf(claim).some((word) => REASSURING.has(word)) || REASSURING_PHRASE.test(claim);
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}._/@:'’-]*/gu;

function wordsOf(text: string): string[] {
  return [...text.matchAll(WORD)].map(([word]) => trimmed(word).toLowerCase());
}

/** Returns the word without the marks at its end, and without a genitive. */
function trimmed(word: string): string {
  return word.replace(/[._/@:'’-]+$/u, "").replace(/['’]s$/u, "");
}

const SPELLED_NUMBERS = new Map<string, number>([
  ..."two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
    .split(" ")
    .map((word, i) => [word, i + 2] as const),
  ..."twenty thirty forty fifty sixty seventy eighty ninety"
    .split(" ")
    .map((word, i) => [word, (i + 2) * 10] as const),
  ["twice", 2],
  ["thrice", 3],
  ["dozen", 12],
  ["dozens", 12],
  ["hundred", 100],
  ["hundreds", 100],
  ["thousand", 1000],
  ["thousands", 1000],
  ["million", 1_000_000],
  ["millions", 1_000_000],
]);

/** Returns the number that a word spells, such as `twenty-five`; undefined: none. A part of another compound counts: `two-thirds`. */
function spelledNumber(word: string): number | undefined {
  const parts = word.split("-").map((part) => SPELLED_NUMBERS.get(part));
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, part) => sum + part);
}

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
    "unaffected undisturbed false stable stabilised stabilized benign trivial minor negligible insignificant unimportant cosmetic spurious noise " +
    "unnecessary needless intended intentional"
  ).split(" "),
);
const REASSURING_PHRASE =
  /\bno (?:need|action|impact|cause for|reason to)\b|\bnothing (?:to do|is wrong|wrong)\b|\b(?:can|may) (?:wait|be left)\b|\bnot (?:urgent|serious|a problem)\b/i;
