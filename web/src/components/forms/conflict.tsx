/** `const choices = await resolveConflict(rows)`: asks whose values to keep. */
import { lazy } from 'react';
import { prompt } from '../layout/prompt.tsx';
import type { Conflict, Resolution } from './ConflictModal.tsx';

const ConflictModal = lazy(async () => ({
  default: (await import('./ConflictModal.tsx')).ConflictModal,
}));

/** Resolves with undefined if the user goes back to the form. */
export function resolveConflict(conflicts: readonly Conflict[]): Promise<Resolution | undefined> {
  return prompt((answer) => <ConflictModal conflicts={conflicts} answer={answer} />);
}
