import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useBlocker } from 'react-router-dom';
import { confirm } from '../components/layout/confirm.tsx';

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
