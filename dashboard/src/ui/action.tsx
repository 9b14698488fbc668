/** A button that makes a request, and says when it was refused. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { say } from "./messages.tsx";
import { useShortcut } from "./shortcuts.ts";

/**
 * Shows a button. While its request is under way it can't be pressed again; afterwards everything on the page is read anew.
 * @param props.act makes the request
 * @param props.keys a key that does the same
 * @param props.isPassing true where the button may go once the page was read anew: a refusal then stands among the messages
 */
export function Action({
  label,
  act,
  isQuiet,
  isPassing,
  keys,
}: {
  label: string;
  act: () => Promise<unknown>;
  isQuiet?: boolean;
  isPassing?: boolean;
  keys?: string;
}) {
  const client = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: act,
    onError: ({ message }) => isPassing && say({ text: message, isProblem: true }),
    onSettled: () => client.invalidateQueries(),
  });
  useShortcut(
    { keys: keys ?? "", label, group: "This page", act: () => mutate() },
    keys !== undefined && !isPending,
  );
  return (
    <span className="action">
      <button
        type="button"
        aria-keyshortcuts={keys}
        className={isQuiet ? "quiet-button" : undefined}
        disabled={isPending}
        onClick={() => mutate()}
      >
        {label}
      </button>
      {error && !isPassing && (
        <span role="alert" className="refusal">
          {error.message}
        </span>
      )}
    </span>
  );
}
