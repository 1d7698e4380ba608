/** Asks for the password if a call needs it, and confirms the session with it. */
import { lazy, Suspense, useSyncExternalStore } from 'react';
import { onPasswordNeeded } from '../../lib/api/api.ts';

type Answer = (isConfirmed: boolean) => void;

let answer: Answer | undefined;
let pending: Promise<boolean> | undefined;
const listeners = new Set<() => void>();

function change(next: Answer | undefined): void {
  answer = next;
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** One prompt for all calls that wait for it at the same time. */
onPasswordNeeded(() => {
  pending ??= new Promise<boolean>((resolve) => change(resolve)).finally(() => {
    pending = undefined;
    change(undefined);
  });
  return pending;
});

const OwnerProofModal = lazy(async () => ({
  default: (await import('./OwnerProofModal.tsx')).OwnerProofModal,
}));

/** Mounted once in the app; loaded with the first prompt. */
export function OwnerProofDialog() {
  const now = useSyncExternalStore(listen, () => answer);
  return <Suspense>{now !== undefined && <OwnerProofModal answer={now} />}</Suspense>;
}
