/** `if (await confirm({ title, text, verb, isDanger: true })) ...` */

import { lazy, Suspense, useSyncExternalStore } from 'react';
import type { Confirmation, PendingConfirmation } from './ConfirmModal.tsx';

let asked: PendingConfirmation | undefined;
const listeners = new Set<() => void>();

function change(next: PendingConfirmation | undefined): void {
  asked = next;
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Resolves with the user's decision; a second call while one is open resolves to false. */
export function confirm(confirmation: Confirmation): Promise<boolean> {
  asked?.answer(false);
  return new Promise((resolve) => {
    change({
      ...confirmation,
      answer: (isSure) => {
        change(undefined);
        resolve(isSure);
      },
    });
  });
}

const ConfirmModal = lazy(async () => ({
  default: (await import('./ConfirmModal.tsx')).ConfirmModal,
}));

/** Mounted once in the app; loaded with the first confirmation. */
export function ConfirmDialog() {
  const now = useSyncExternalStore(listen, () => asked);
  return <Suspense>{now !== undefined && <ConfirmModal key={now.title} {...now} />}</Suspense>;
}
