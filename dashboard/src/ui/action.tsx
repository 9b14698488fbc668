/** A button that makes a request, and says when it was refused. */
import { useMutation, useQueryClient } from "@tanstack/react-query";

/**
 * Shows a button. While its request is under way it can't be pressed again; afterwards everything on the page is read anew.
 * @param props.act makes the request
 */
export function Action({
  label,
  act,
  isQuiet,
}: {
  label: string;
  act: () => Promise<unknown>;
  isQuiet?: boolean;
}) {
  const client = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: act,
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
      {error && (
        <span role="alert" className="refusal">
          {error.message}
        </span>
      )}
    </span>
  );
}
