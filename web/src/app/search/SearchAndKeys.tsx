import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { useUser } from '../../lib/session/session.ts';
import { isKeyFree, type Key, keyAction } from './keyboard.ts';

const Search = lazy(async () => ({ default: (await import('./Search.tsx')).Search }));
const KeyListDialog = lazy(async () => ({
  default: (await import('./ShortcutsDialog.tsx')).KeyListDialog,
}));

/** The shell's keyboard shortcuts, Ctrl+K and single keys, and the two dialogs they open. */
export function SearchAndKeys() {
  const navigate = useNavigate();
  const cache = useQueryClient();
  const isSignedIn = useUser() !== undefined;
  const [door, setDoor] = useState<Door | undefined>(undefined);
  const before = useRef<Key | undefined>(undefined);

  const press = useEffectEvent((event: KeyboardEvent) => {
    if (!isSignedIn) return;
    const isCombined = event.ctrlKey || event.metaKey || event.altKey;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      setDoor('search');
      return;
    }
    if (!isKeyFree(event.target)) return;
    const key = { key: event.key, at: event.timeStamp, isCombined };
    const action = keyAction(key, before.current);
    before.current = key;
    if (action === undefined) return;
    event.preventDefault();
    if (action.kind === 'jump') void navigate(action.path);
    if (action.kind === 'refresh') void cache.invalidateQueries();
    if (action.kind === 'list') setDoor('keys');
    if (action.kind === 'page-search') focusPageSearch();
  });

  useEffect(() => {
    const listener = (event: KeyboardEvent) => press(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
  useEffect(() => onDoor(setDoor), []);

  const close = () => setDoor(undefined);
  return (
    <Suspense>
      {door === 'search' && <Search onClose={close} />}
      {door === 'keys' && <KeyListDialog onClose={close} />}
    </Suspense>
  );
}

/** Focuses the page's main filter, which is not necessarily its first input. */
function focusPageSearch(): void {
  document.querySelector<HTMLElement>('[data-page-search]')?.focus();
}

/** Opens the search or the shortcut list from anywhere in the shell. */
type Door = 'search' | 'keys';

const listeners = new Set<(door: Door) => void>();

export function openSearch(): void {
  for (const listener of listeners) listener('search');
}

export function openKeyList(): void {
  for (const listener of listeners) listener('keys');
}

function onDoor(listener: (door: Door) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
