/** A dialog over the page: it has a name, Escape closes it, and the focus returns to the control that opened it. */
import { type ReactNode, useEffect, useId, useRef } from "react";

/**
 * Shows a dialog for as long as it is rendered.
 * @param props.title heading of the dialog and its accessible name
 * @param props.onClose called once the reader has closed the dialog; the caller then stops rendering it. Absent: it can't be closed
 * @param props.children contents, which get a function that closes the dialog
 */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose?: () => void;
  children: ReactNode | ((close: () => void) => ReactNode);
}) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    // A dialog that leaves the document does not give the focus back by itself.
    return () => {
      if (opener instanceof HTMLElement) opener.focus({ preventScroll: true });
    };
  }, []);
  const close = () => dialog.current?.close();
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={onClose ? undefined : (event) => event.preventDefault()}
      onClose={onClose}
    >
      <h2 id={id}>{title}</h2>
      {typeof children === "function" ? children(close) : children}
    </dialog>
  );
}
