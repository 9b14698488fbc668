/** A dialog with a secret that can't be read again once it is closed. */
import { Copy } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";

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
  return (
    <Dialog title={title} onClose={onClose}>
      {(close) => (
        <>
          <p>{advice}</p>
          <p>
            <code>{secret}</code>
          </p>
          <p className="actions">
            <Copy text={secret} />
            <button type="button" className="quiet-button" onClick={close}>
              Close
            </button>
          </p>
        </>
      )}
    </Dialog>
  );
}
