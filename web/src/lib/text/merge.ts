/** Compares and joins two edits of the same value, made from the same base. */

export interface Edits {
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
}

/** Whether both edits changed the value, and differently. The layout of JSON does not count. */
export function isConflict({ base, mine, theirs }: Edits): boolean {
  const found = normalized(theirs);
  return found !== normalized(base) && found !== normalized(mine);
}

function normalized(text: string): string {
  const entries = entriesIn(text);
  return text === '' || entries === undefined ? text : JSON.stringify([...entries]);
}

/** Comma-separated names: theirs, with the names that I added and without those that I removed. */
export function mergedList(base: string, mine: string, theirs: string): string {
  const [was, wanted, now] = [namesIn(base), namesIn(mine), namesIn(theirs)];
  const kept = now.filter((name) => wanted.includes(name) || !was.includes(name));
  const added = wanted.filter((name) => !was.includes(name) && !now.includes(name));
  return [...kept, ...added].join(',');
}

/** JSON objects: theirs with the entries that I changed; undefined if one is not an object. */
export function mergedMap(base: string, mine: string, theirs: string): string | undefined {
  const [was, wanted, now] = [entriesIn(base), entriesIn(mine), entriesIn(theirs)];
  if (was === undefined || wanted === undefined || now === undefined) return undefined;
  const merged = new Map(now);
  for (const name of new Set([...was.keys(), ...wanted.keys()])) {
    const value = wanted.get(name);
    if (JSON.stringify(value) === JSON.stringify(was.get(name))) continue;
    if (value === undefined) merged.delete(name);
    else merged.set(name, value);
  }
  return JSON.stringify(Object.fromEntries(merged), null, 2);
}

function namesIn(text: string): readonly string[] {
  return text.split(',').filter((name) => name !== '');
}

function entriesIn(text: string): ReadonlyMap<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return new Map(Object.entries(value));
  } catch {
    return undefined;
  }
}
