/** The line under a field: what is wrong with it, or else what it is for. */
import type { ReactNode } from "react";

/** Shows the line. @param props.id the field's `aria-describedby` */
export function Note({
  id,
  messages,
  children,
}: {
  id: string;
  messages: readonly string[];
  children: ReactNode;
}) {
  return (
    <span id={id} className={messages.length > 0 ? "refusal" : "hint"}>
      {messages.length > 0 ? messages.join("; ") : children}
    </span>
  );
}
