/** Empty panels that stand for the parts of a page while they load. */

/** Shows empty panels of the given heights, and says that something loads. @param props.heightsPx of the panels, from the top */
export function Skeleton({ heightsPx }: { heightsPx: readonly number[] }) {
  return (
    <div className="skeleton" aria-busy="true">
      <p className="loading">Loading …</p>
      {heightsPx.map((height, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the panels are alike, and keep their order
        <div key={at} className="panel" style={{ height }} />
      ))}
    </div>
  );
}
