/** A button that deletes a record once the reader has said yes, or has written its name where much goes with it. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { Dialog } from "./dialog.tsx";
import { say } from "./messages.tsx";
import { plainText, Text } from "./text.tsx";

/**
 * Shows the button.
 * @param props.what kind of the record, for the question: "check"
 * @param props.goes what goes with it, as a sentence
 * @param props.asksName true: the name has to be written before the record is deleted
 * @param props.act deletes the record
 * @param props.nextPath page to go on with
 */
export function DeleteButton({
  what,
  name,
  goes,
  asksName = false,
  act,
  nextPath,
}: {
  what: string;
  name: string;
  goes: string;
  asksName?: boolean;
  act(): Promise<unknown>;
  nextPath: string;
}) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [isAsking, setAsking] = useState(false);
  const [typed, setTyped] = useState("");
  const [refusal, setRefusal] = useState<string>();
  const isSure = !asksName || typed.trim() === plainText(name).trim();
  const remove = async (close: () => void) => {
    try {
      await act();
    } catch (error) {
      return setRefusal((error as Error).message);
    }
    close();
    say({ text: `Deleted ${plainText(name)}.` });
    // The next page reads anew; this one would ask for what is gone.
    await client.invalidateQueries({ refetchType: "none" });
    navigate(nextPath);
  };
  return (
    <>
      <button
        type="button"
        className="quiet-button"
        onClick={() => {
          setTyped("");
          setRefusal(undefined);
          setAsking(true);
        }}
      >
        Delete
      </button>
      {isAsking && (
        <Dialog title={`Delete this ${what}?`} onClose={() => setAsking(false)}>
          {(close) => (
            <>
              <p>
                <Text>{name}</Text>: {goes} This can't be undone.
              </p>
              {asksName && (
                <label>
                  Write its name{" "}
                  <input
                    type="text"
                    autoComplete="off"
                    value={typed}
                    onChange={({ target }) => setTyped(target.value)}
                  />
                </label>
              )}
              {refusal && (
                <p role="alert" className="refusal">
                  {refusal}
                </p>
              )}
              <div className="row">
                <button type="button" disabled={!isSure} onClick={() => void remove(close)}>
                  Delete
                </button>
                <button type="button" className="quiet-button" onClick={close}>
                  Cancel
                </button>
              </div>
            </>
          )}
        </Dialog>
      )}
    </>
  );
}
