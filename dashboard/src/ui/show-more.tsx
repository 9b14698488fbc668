/** The end of a list that is longer than what is shown. */

/** Says how many entries are shown, and shows more on request; nothing when these are all. */
export function ShowMore({
  shown,
  by,
  hasMore,
  onMore,
}: {
  shown: number;
  by: number;
  hasMore: boolean;
  onMore(): void;
}) {
  if (!hasMore) return null;
  return (
    <p className="row">
      <span className="quiet">The newest {shown} are shown.</span>
      <button type="button" className="quiet-button" onClick={onMore}>
        Show {by} more
      </button>
    </p>
  );
}
