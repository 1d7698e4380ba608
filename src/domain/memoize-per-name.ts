/** Bounds the memory, because names may come from clients. */
const MAX_KEPT = 5_000;

/** Memoizes a value per name, for values that are the same as long as the process runs. */
export function memoizePerName<Made>(make: (name: string) => Made): (name: string) => Made {
  const kept = new Map<string, Made>();
  return (name) => {
    const known = kept.get(name);
    if (known !== undefined) return known;
    const made = make(name);
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(name, made);
    return made;
  };
}
