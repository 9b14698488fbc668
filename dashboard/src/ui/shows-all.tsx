/** The switch between what lasts and everything, which the address carries as `?all=yes`. */
import { useSearchParams } from "wouter";

/** Returns whether the address asks for everything, and the checkbox that changes it. @param label what the checkbox says */
export function useShowsAll(label: string) {
  const [search, setSearch] = useSearchParams();
  const showsAll = search.get("all") === "yes";
  const choose = (isAll: boolean) => setSearch(isAll ? { all: "yes" } : {}, { replace: true });
  const checkbox = (
    <label>
      <input type="checkbox" checked={showsAll} onChange={({ target }) => choose(target.checked)} /> {label}
    </label>
  );
  return { showsAll, checkbox };
}
