/** `if (await confirm({ title, text, verb, isDanger: true })) ...` */

import type { TFunction } from 'i18next';
import { lazy } from 'react';
import type { Confirmation } from './ConfirmModal.tsx';
import { prompt } from './prompt.tsx';

const ConfirmModal = lazy(async () => ({
  default: (await import('./ConfirmModal.tsx')).ConfirmModal,
}));

let refuse = () => {};

/** Resolves with the user's decision; a second call while one is open resolves the first to false. */
export function confirm(confirmation: Confirmation): Promise<boolean> {
  refuse();
  return prompt((answer) => {
    refuse = () => answer(false);
    return <ConfirmModal {...confirmation} answer={answer} />;
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
