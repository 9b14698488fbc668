/** Variables in a configuration of Gatus: `$NAME` and `${NAME}` anywhere; `$$` is a dollar sign. */
import type { ImportDraft } from "../../draft.ts";
import type { Item } from "../../item.ts";

const VARIABLE = /\$\$|\$\{([A-Za-z_]\w{0,99})\}|\$([A-Za-z_]\w{0,99})/g;

/** Returns the text with a stand-in for each variable. */
export function gatusText(item: Item, draft: ImportDraft): string | undefined {
  return item.text()?.replace(VARIABLE, (_matched, braced?: string, plain?: string) => {
    const name = braced ?? plain;
    return name === undefined ? "$" : draft.variable(name);
  });
}
