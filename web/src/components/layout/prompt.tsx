/** Dialogs that a function opens, and whose answer it waits for. */
import { type ReactNode, Suspense } from 'react';
import { createStore, useStore } from '../../lib/store.ts';

interface Prompt {
  readonly id: number;
  readonly dialog: ReactNode;
}

const prompts = createStore<readonly Prompt[]>([]);
let lastId = 0;

/** Shows the dialog until it answers; only its first answer counts. */
export function prompt<A>(dialog: (answer: (given: A) => void) => ReactNode): Promise<A> {
  lastId += 1;
  const id = lastId;
  return new Promise((resolve) => {
    const answer = (given: A) => {
      prompts.set(prompts.get().filter((one) => one.id !== id));
      resolve(given);
    };
    prompts.set([...prompts.get(), { id, dialog: dialog(answer) }]);
  });
}

/** Mounted once in the app; a dialog may be loaded with its first use. */
export function Prompts() {
  return useStore(prompts).map(({ id, dialog }) => <Suspense key={id}>{dialog}</Suspense>);
}
