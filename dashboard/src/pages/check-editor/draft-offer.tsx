/** Offers a draft that an earlier visit left behind, then shows the form. */
import { useState } from "react";
import { Ago } from "../../time/ago.tsx";
import type { CheckDraft } from "./body.ts";
import { CheckEditor } from "./editor.tsx";
import { forgetDraft, storedDraft } from "./stored-draft.ts";

/** Shows the form with the check as it is, until the reader takes the draft over. */
export function DraftOffer(editor: Omit<Parameters<typeof CheckEditor>[0], "begun">) {
  const { storeKey, initial } = editor;
  // Read once: the form writes its own draft from the first change on.
  const [offered, setOffered] = useState(() => storedDraft(storeKey));
  const [begun, setBegun] = useState<{ draft: CheckDraft; round: number }>({ draft: initial, round: 0 });
  return (
    <>
      {offered && (
        <div role="status" className="panel">
          <p>
            A draft from <Ago at={offered.at} /> was not saved. Secrets are not in it.
          </p>
          <div className="row">
            <button
              type="button"
              onClick={() => {
                setBegun(({ round }) => ({ draft: offered.draft, round: round + 1 }));
                setOffered(undefined);
              }}
            >
              Go on with the draft
            </button>
            <button
              type="button"
              className="quiet-button"
              onClick={() => {
                forgetDraft(storeKey);
                setOffered(undefined);
              }}
            >
              Forget the draft
            </button>
          </div>
        </div>
      )}
      <CheckEditor key={begun.round} {...editor} begun={begun.draft} />
    </>
  );
}
