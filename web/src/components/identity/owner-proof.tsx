/** Asks for the password if a call needs it, and confirms the session with it. */
import { lazy, Suspense } from 'react';
import { onPasswordNeeded } from '../../lib/api/api.ts';
import { createStore, useStore } from '../../lib/store.ts';

type Answer = (isConfirmed: boolean) => void;

/** Resolves the open prompt. */
const answer = createStore<Answer | undefined>(undefined);
let pending: Promise<boolean> | undefined;

/** One prompt for all calls that wait for it at the same time. */
onPasswordNeeded(() => {
  pending ??= new Promise<boolean>(answer.set).finally(() => {
    pending = undefined;
    answer.set(undefined);
  });
  return pending;
});

const OwnerProofModal = lazy(async () => ({
  default: (await import('./OwnerProofModal.tsx')).OwnerProofModal,
}));

/** Mounted once in the app; loaded with the first prompt. */
export function OwnerProofDialog() {
  const now = useStore(answer);
  return <Suspense>{now !== undefined && <OwnerProofModal answer={now} />}</Suspense>;
}
