/** The filter of a list, which its address carries. */
import { useSearchParams } from "wouter";

/** Returns the value of a name in the address, or its default, and a function that sets one; the default leaves the address. */
export function useFilter<Name extends string>(defaults: Readonly<Record<Name, string>>) {
  const [search, setSearch] = useSearchParams();
  const value = (name: Name) => search.get(name) ?? defaults[name];
  const set = (name: Name, chosen: string) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (chosen === defaults[name]) next.delete(name);
        else next.set(name, chosen);
        return next;
      },
      { replace: true },
    );
  return { value, set };
}
