/** `if (await confirm({ title, text, verb, isDanger: true })) ...` */
import { lazy, type ReactNode, Suspense, useSyncExternalStore } from 'react';

export interface Confirmation {
  /** Names the object: "Delete channel openai-main?" */
  readonly title: string;
  /** The consequence. */
  readonly text?: ReactNode;
  /** The button repeats it with the object: "Delete 3 channels". */
  readonly verb: string;
  readonly isDanger?: boolean;
  /** Must be typed before the button works: for what cannot be undone and concerns many. */
  readonly typed?: string;
}

export interface Asked extends Confirmation {
  readonly answer: (isSure: boolean) => void;
}

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
