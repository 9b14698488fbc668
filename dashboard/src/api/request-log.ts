/** The reads that the page at hand made, so that people can make them without the page. */

/** Reads that are kept of a page; the oldest make way. */
const READS_MAX = 30;

let page = "";
let reads: string[] = [];

/** Notes a read of the page that is open. @param address path and query */
export function noteRead(address: string): void {
  if (location.pathname !== page) {
    page = location.pathname;
    reads = [];
  }
  reads = [...reads.filter((known) => known !== address), address].slice(-READS_MAX);
}

/** Returns the reads of the page that is open as commands for a shell, with the key from the environment. */
export function curlCommands(): string {
  const origin = location.origin;
  return reads
    .map(
      (address) =>
        `curl -s -H "Authorization: Bearer $SVC_API_KEY" '${origin}${address.replaceAll("'", "%27")}'\n`,
    )
    .join("");
}
