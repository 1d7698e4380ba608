import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useEffectEvent, useRef } from 'react';
import { useNavigate } from 'react-router-dom';
import { useUser } from '../../lib/session/session.ts';
import { createStore, useStore } from '../../lib/store.ts';
import { isKeyFree, type KeyPress, keyAction } from './keyboard.ts';

const Search = lazy(async () => ({ default: (await import('./Search.tsx')).Search }));
const ShortcutsDialog = lazy(async () => ({
  default: (await import('./ShortcutsDialog.tsx')).ShortcutsDialog,
}));

/** The shell's keyboard shortcuts, Ctrl+K and single keys, and the two dialogs they open. */
export function SearchAndKeys() {
  const navigate = useNavigate();
  const cache = useQueryClient();
  const isSignedIn = useUser() !== undefined;
  const dialog = useStore(openDialog);
  const before = useRef<KeyPress | undefined>(undefined);

  const press = useEffectEvent((event: KeyboardEvent) => {
    if (!isSignedIn) return;
    const isCombined = event.ctrlKey || event.metaKey || event.altKey;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      openSearch();
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
    if (action.kind === 'list') openShortcuts();
    if (action.kind === 'page-search') focusPageSearch();
  });

  useEffect(() => {
    const listener = (event: KeyboardEvent) => press(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);

  const close = () => openDialog.set(undefined);
  return (
    <Suspense>
      {dialog === 'search' && <Search onClose={close} />}
      {dialog === 'shortcuts' && <ShortcutsDialog onClose={close} />}
    </Suspense>
  );
}

/** Focuses the page's main filter, which is not necessarily its first input. */
function focusPageSearch(): void {
  document.querySelector<HTMLElement>('[data-page-search]')?.focus();
}

const openDialog = createStore<'search' | 'shortcuts' | undefined>(undefined);

export function openSearch(): void {
  openDialog.set('search');
}

export function openShortcuts(): void {
  openDialog.set('shortcuts');
}
