/** `if (await confirm({ title, text, verb, isDanger: true })) ...` */

import type { TFunction } from 'i18next';
import { lazy, Suspense } from 'react';
import { createStore, useStore } from '../../lib/store.ts';
import type { Confirmation, PendingConfirmation } from './ConfirmModal.tsx';

const pending = createStore<PendingConfirmation | undefined>(undefined);

/** Resolves with the user's decision; a second call while one is open resolves to false. */
export function confirm(confirmation: Confirmation): Promise<boolean> {
  pending.get()?.answer(false);
  return new Promise((resolve) => {
    pending.set({
      ...confirmation,
      answer: (isSure) => {
        pending.set(undefined);
        resolve(isSure);
      },
    });
  });
}

/** Asked before unsaved changes are lost. */
export function discardConfirmation(t: TFunction): Confirmation {
  return {
    title: t('part.discard.title'),
    text: t('part.discard.text'),
    verb: t('part.discard.verb'),
    isDanger: true,
  };
}

const ConfirmModal = lazy(async () => ({
  default: (await import('./ConfirmModal.tsx')).ConfirmModal,
}));

/** Mounted once in the app; loaded with the first confirmation. */
export function ConfirmDialog() {
  const now = useStore(pending);
  return <Suspense>{now !== undefined && <ConfirmModal key={now.title} {...now} />}</Suspense>;
}
