/**
 * An `expect` whose soft assertions go on after one that failed. Playwright's own does so only in its own runner;
 * outside of it `expect.soft` throws like `expect`.
 */
type Expect = ((...parts: unknown[]) => object) & {
  soft: Expect;
  poll: (...parts: unknown[]) => object;
  configure: (configuration: { soft?: boolean }) => Expect;
  extend: (matchers: object) => Expect;
};

/**
 * Wraps Playwright's `expect`.
 * @param note is called with each error of a soft assertion
 */
export function withSoftAssertions(expect: unknown, note: (error: unknown) => void): unknown {
  return wrapped(expect, { note, isSoft: false });
}

interface Wrapping {
  note: (error: unknown) => void;
  isSoft: boolean;
}

function wrapped(expect: unknown, wrapping: Wrapping): unknown {
  const { note, isSoft } = wrapping;
  return new Proxy(expect as Expect, {
    apply: (target, _self, parts) => {
      const matchers = target(...parts);
      return isSoft ? soften(matchers, note) : matchers;
    },
    get: (target, name) => {
      if (name === "soft") return wrapped(target, { note, isSoft: true });
      if (name === "configure")
        return (configuration: { soft?: boolean }) =>
          wrapped(target.configure(configuration), { note, isSoft: configuration.soft ?? isSoft });
      if (name === "extend") return (matchers: object) => wrapped(target.extend(matchers), wrapping);
      if (name === "poll" && isSoft) return (...parts: unknown[]) => soften(target.poll(...parts), note);
      return Reflect.get(target, name);
    },
  });
}

/** Wraps matchers, `not`, `resolves` and `rejects` included, so that their errors are noted instead of thrown. */
function soften(matchers: object, note: (error: unknown) => void): object {
  return new Proxy(matchers, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member === "object" && member !== null) return soften(member, note);
      if (typeof member !== "function") return member;
      return (...parts: unknown[]) => {
        try {
          const result: unknown = member.apply(target, parts);
          return result instanceof Promise ? result.catch(note) : result;
        } catch (error) {
          note(error);
        }
      };
    },
  });
}
