/**
 * Returns the text with lines that end with \n, also where Git for Windows wrote \r\n: a script is one and the same on every
 * system. JavaScript reads both alike, in template literals, too.
 */
export function unixLines(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
