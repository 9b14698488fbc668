/** A button that makes a request, and says when it was refused. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { say } from "./messages.tsx";

/**
 * Shows a button. While its request is under way it can't be pressed again; afterwards everything on the page is read anew.
 * @param props.act makes the request
 * @param props.isPassing true where the button may go once the page was read anew: a refusal then stands among the messages
 */
export function Action({
  label,
  act,
  isQuiet,
  isPassing,
}: {
  label: string;
  act: () => Promise<unknown>;
  isQuiet?: boolean;
  isPassing?: boolean;
}) {
  const client = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: act,
    onError: ({ message }) => isPassing && say({ text: message, isProblem: true }),
    onSettled: () => client.invalidateQueries(),
  });
  return (
    <span className="action">
      <button
        type="button"
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
