import i18next from 'i18next';
import { type ReactNode, useMemo, useSyncExternalStore } from 'react';
import { STORED, useStored } from '../lib/browser/stored.ts';
import { isPrivacyOn, onPrivacy } from '../lib/display/privacy.ts';
import { ClockContext, SurroundingsContext } from '../lib/display/surroundings.ts';

/** Mounted once, around the whole app. */
export function SurroundingsProvider({ children }: { readonly children: ReactNode }) {
  const language = useSyncExternalStore(onLanguage, () => i18next.language);
  const isPrivate = useSyncExternalStore(onPrivacy, isPrivacyOn);
  const [quotaPerUnit] = useStored(STORED.quotaPerUnit);
  const [currency] = useStored(STORED.displayInCurrency);
  const nowSec = useSyncExternalStore(onStep, steppedNowSec);
  const surroundings = useMemo(
    () => ({ language, isPrivate, quotaStyle: { quotaPerUnit, currency } }),
    [language, isPrivate, quotaPerUnit, currency],
  );
  return (
    <SurroundingsContext value={surroundings}>
      <ClockContext value={nowSec}>{children}</ClockContext>
    </SurroundingsContext>
  );
}

function onLanguage(listener: () => void): () => void {
  i18next.on('languageChanged', listener);
  return () => i18next.off('languageChanged', listener);
}

const STEP_SEC = 30;

function onStep(listener: () => void): () => void {
  const timer = setInterval(listener, STEP_SEC * 1000);
  return () => clearInterval(timer);
}

function steppedNowSec(): number {
  return Math.floor(Date.now() / 1000 / STEP_SEC) * STEP_SEC;
}
