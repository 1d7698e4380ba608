/** Asks for the password if a call needs it, and confirms the session with it. Imported once by the app. */
import { lazy } from 'react';
import { onPasswordNeeded } from '../../lib/api/api.ts';
import { prompt } from '../layout/prompt.tsx';

const OwnerProofModal = lazy(async () => ({
  default: (await import('./OwnerProofModal.tsx')).OwnerProofModal,
}));

let pending: Promise<boolean> | undefined;

/** One prompt for all calls that wait for it at the same time. */
onPasswordNeeded(() => {
  pending ??= prompt<boolean>((answer) => <OwnerProofModal answer={answer} />).finally(() => {
    pending = undefined;
  });
  return pending;
});
