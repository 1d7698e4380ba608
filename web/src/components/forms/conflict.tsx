/** `const choices = await resolveConflict(rows)`: asks whose values to keep. */
import { lazy, Suspense } from 'react';
import { createStore, useStore } from '../../lib/store.ts';
import type { Conflict, PendingConflict, Resolution } from './ConflictModal.tsx';

const pending = createStore<PendingConflict | undefined>(undefined);

/** Resolves with undefined if the user goes back to the form. */
export function resolveConflict(conflicts: readonly Conflict[]): Promise<Resolution | undefined> {
  pending.get()?.answer(undefined);
  return new Promise((resolve) => {
    pending.set({
      conflicts,
      answer: (resolution) => {
        pending.set(undefined);
        resolve(resolution);
      },
    });
  });
}

const ConflictModal = lazy(async () => ({
  default: (await import('./ConflictModal.tsx')).ConflictModal,
}));

/** Mounted once in the app; loaded with the first conflict. */
export function ConflictDialog() {
  const now = useStore(pending);
  return <Suspense>{now !== undefined && <ConflictModal {...now} />}</Suspense>;
}
