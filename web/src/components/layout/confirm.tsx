/** `if (await confirm({ title, text, verb, isDanger: true })) ...` */

import { lazy, Suspense, useSyncExternalStore } from 'react';
import type { Asked, Confirmation } from './confirmation.ts';

let asked: Asked | undefined;
const listeners = new Set<() => void>();

function change(next: Asked | undefined): void {
  asked = next;
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Resolves with the reader's decision; a second question while one stands answers it with no. */
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

/** Stands once in the app; fetched with the first question. */
export function ConfirmDialog() {
  const now = useSyncExternalStore(listen, () => asked);
  return <Suspense>{now !== undefined && <ConfirmModal key={now.title} {...now} />}</Suspense>;
}
