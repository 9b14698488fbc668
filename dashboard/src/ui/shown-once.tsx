/** A dialog with a secret that can't be read again once it is closed. */
import { useEffect, useId, useRef, useState } from "react";

/** Shows the secret; `onClose` is called when the dialog was closed. */
export function ShownOnce({
  title,
  advice,
  secret,
  onClose,
}: {
  title: string;
  advice: string;
  secret: string;
  onClose(): void;
}) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      <p>{advice}</p>
      <p>
        <code>{secret}</code>
      </p>
      <p className="actions">
        <button
          type="button"
          onClick={() => void navigator.clipboard.writeText(secret).then(() => setIsCopied(true))}
        >
          {isCopied ? "Copied" : "Copy"}
        </button>
        <button type="button" className="quiet-button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </p>
    </dialog>
  );
}
