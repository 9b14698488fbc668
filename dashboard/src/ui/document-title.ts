/** The document's title: what the page is about, behind a mark that the tab shows from afar. */

let pageTitle = "";
let tabMark = "";

/** Sets what the title says of the page. */
export function setPageTitle(title: string): void {
  pageTitle = title;
  write();
}

/** Sets what stands before it: `(3) `, or nothing. */
export function setTabMark(mark: string): void {
  tabMark = mark;
  write();
}

function write(): void {
  document.title = `${tabMark}${pageTitle} - svc`;
}
