/**
 * What the cells of tables go by, read once for the whole page: a subscription of its own in each of a
 * thousand cells costs more than the cells. `app/SurroundingsProvider.tsx` keeps both in step.
 */
import { createContext, useContext } from 'react';
import type { QuotaStyle } from '../../../src/domain/pricing/quota-text.ts';

export interface Surroundings {
  readonly language: string;
  /** The privacy eye is shut. */
  readonly isPrivate: boolean;
  readonly quotaStyle: QuotaStyle;
}

export const SurroundingsContext = createContext<Surroundings | undefined>(undefined);

export function useSurroundings(): Surroundings {
  const surroundings = useContext(SurroundingsContext);
  if (surroundings === undefined) throw new Error('outside of SurroundingsProvider');
  return surroundings;
}

/** Epoch seconds, in steps, so that what is drawn between two of them is not drawn again. */
export const ClockContext = createContext(0);

/** Draws the component again at each step of the clock. */
export function useClock(): number {
  return useContext(ClockContext);
}
