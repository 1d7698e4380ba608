import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useBlocker } from 'react-router-dom';
import { confirm } from '../components/layout/confirm.tsx';

/** Asks before a page with unsaved work is left for another; another address of the same page keeps it. */
export function useLeaveGuard(isDirty: () => boolean): void {
  const { t } = useTranslation();
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      currentLocation.pathname !== nextLocation.pathname && isDirty(),
  );
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    const ask = async () => {
      const isSure = await confirm({
        title: t('part.discard.title'),
        text: t('part.discard.text'),
        verb: t('part.discard.verb'),
        isDanger: true,
      });
      if (isSure) blocker.proceed();
      else blocker.reset();
    };
    void ask();
  }, [blocker, t]);
}
