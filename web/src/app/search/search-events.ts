/** Opens the search or the shortcut list from anywhere in the shell. */
export type Door = 'search' | 'keys';

const listeners = new Set<(door: Door) => void>();

export function openSearch(): void {
  for (const listener of listeners) listener('search');
}

export function openKeyList(): void {
  for (const listener of listeners) listener('keys');
}

export function onDoor(listener: (door: Door) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
