import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { useUser } from '../../lib/session/session.ts';
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
  const [dialog, setDialog] = useState<ShellDialog | undefined>(undefined);
  const before = useRef<KeyPress | undefined>(undefined);

  const press = useEffectEvent((event: KeyboardEvent) => {
    if (!isSignedIn) return;
    const isCombined = event.ctrlKey || event.metaKey || event.altKey;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      setDialog('search');
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
    if (action.kind === 'list') setDialog('keys');
    if (action.kind === 'page-search') focusPageSearch();
  });

  useEffect(() => {
    const listener = (event: KeyboardEvent) => press(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
  useEffect(() => onDialogRequest(setDialog), []);

  const close = () => setDialog(undefined);
  return (
    <Suspense>
      {dialog === 'search' && <Search onClose={close} />}
      {dialog === 'keys' && <ShortcutsDialog onClose={close} />}
    </Suspense>
  );
}

/** Focuses the page's main filter, which is not necessarily its first input. */
function focusPageSearch(): void {
  document.querySelector<HTMLElement>('[data-page-search]')?.focus();
}

/** Opens the search or the shortcut list from anywhere in the shell. */
type ShellDialog = 'search' | 'keys';

const listeners = new Set<(dialog: ShellDialog) => void>();

export function openSearch(): void {
  for (const listener of listeners) listener('search');
}

export function openShortcuts(): void {
  for (const listener of listeners) listener('keys');
}

function onDialogRequest(listener: (dialog: ShellDialog) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
