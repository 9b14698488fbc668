/** A button that copies a text. */
import { useState } from "react";
import { copyText } from "./copy-text.ts";
import { say } from "./messages.tsx";

/**
 * Shows the button, which says `Copied` afterwards.
 * @param props.label name of the button before; default `Copy`
 * @param props.text the text, or a function that makes it when the button is pressed
 */
export function Copy({ text, label = "Copy" }: { text: string | (() => string); label?: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = () =>
    void copyText(typeof text === "string" ? text : text()).then(
      () => setIsCopied(true),
      () => say({ text: "The browser does not allow copying here.", isProblem: true }),
    );
  return (
    <button type="button" className="quiet-button" onClick={copy}>
      {isCopied ? "Copied" : label}
    </button>
  );
}
