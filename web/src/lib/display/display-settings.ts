/**
 * State used by table cells, read once for the whole page, because a subscription in each of a
 * thousand cells costs more than the cells. Kept current by `app/App.tsx`.
 */
import { createContext, useContext } from 'react';
import type { QuotaStyle } from '../../../../src/domain/pricing/quota-text.ts';

export interface DisplaySettings {
  readonly language: string;
  /** Values are masked by the privacy switch. */
  readonly isPrivate: boolean;
  readonly quotaStyle: QuotaStyle;
}

export const DisplaySettingsContext = createContext<DisplaySettings | undefined>(undefined);

export function useDisplaySettings(): DisplaySettings {
  const settings = useContext(DisplaySettingsContext);
  if (settings === undefined) throw new Error('outside of DisplaySettingsProvider');
  return settings;
}

/** Epoch seconds, updated in steps, so that components do not re-render between them. */
export const ClockContext = createContext(0);

/** Re-renders the component at each step of the clock. */
export function useClock(): number {
  return useContext(ClockContext);
}
