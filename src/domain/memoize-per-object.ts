/** Memoizes a value per object, created at first use and kept as long as the object. */
export function memoizePerObject<Thing extends object, Made>(
  make: (thing: Thing) => Made,
): (thing: Thing) => Made {
  const kept = new WeakMap<Thing, Made>();
  return (thing) => {
    const known = kept.get(thing);
    if (known !== undefined) return known;
    const made = make(thing);
    kept.set(thing, made);
    return made;
  };
}
