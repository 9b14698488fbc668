/** Offers a draft that an earlier visit left behind, then shows the form. */
import { Fragment, type ReactNode, useState } from "react";
import { Ago } from "../time/ago.tsx";
import { forgetDraft, storedDraft } from "./stored-draft.ts";

/**
 * Shows the form with the record as it is, until the reader goes on with the draft.
 * @param props.children shows the form with the draft that it begins with
 */
export function DraftOffer({
  storeKey,
  initial,
  children,
}: {
  storeKey: string;
  initial: Record<string, unknown>;
  children(begun: Record<string, unknown>): ReactNode;
}) {
  // Read once: the form writes its own draft from the first change on.
  const [offered, setOffered] = useState(() => storedDraft(storeKey));
  const [begun, setBegun] = useState({ draft: initial, round: 0 });
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
      <Fragment key={begun.round}>{children(begun.draft)}</Fragment>
    </>
  );
}
