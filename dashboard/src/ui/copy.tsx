/** A button that copies a text. */
import { useState } from "react";

/** Shows the button, which says `Copied` afterwards. @param props.label name of the button before; default `Copy` */
export function Copy({ text, label = "Copy" }: { text: string; label?: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(text).then(() => setIsCopied(true));
  return (
    <button type="button" onClick={copy}>
      {isCopied ? "Copied" : label}
    </button>
  );
}
