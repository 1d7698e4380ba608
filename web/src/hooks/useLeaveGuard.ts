import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useBlocker } from 'react-router-dom';
import { confirm, discardConfirmation } from '../components/layout/confirm.tsx';

/** Asks before leaving a page with unsaved changes; URL changes within the page do not ask. */
export function useLeaveGuard(isDirty: () => boolean): void {
  const { t } = useTranslation();
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      currentLocation.pathname !== nextLocation.pathname && isDirty(),
  );
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    const ask = async () => {
      const isSure = await confirm(discardConfirmation(t));
      if (isSure) blocker.proceed();
      else blocker.reset();
    };
    void ask();
  }, [blocker, t]);
}
