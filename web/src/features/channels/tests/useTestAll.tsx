import { useTranslation } from 'react-i18next';
import { confirm } from '../../../components/layout/confirm.tsx';
import { say } from '../../../components/layout/toasts.tsx';
import { ApiError } from '../../../lib/api/api.ts';
import { channelTests } from '../calls.ts';
import { type TestRun, useTestRun } from './useTestRun.tsx';

/**
 * The gateway runs the test of all channels; its results are shown as they arrive. A run already in
 * progress is followed too.
 */
export function useTestAll(): { begin(): Promise<void>; readonly run: TestRun } {
  const { t } = useTranslation();
  const { follow, ...run } = useTestRun();
  const begin = async () => {
    const isSure = await confirm({
      title: t('channel.testAll.ask'),
      text: t('channel.testAll.text'),
      verb: t('channel.batch.test'),
    });
    if (!isSure) return;
    try {
      const { channels } = await channelTests.begin({});
      say.info(t('channel.testAll.begun'));
      await follow(channels);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'already_running'))
        return say.failure(error);
      say.info(t('channel.testAll.running'));
      await follow(undefined);
    }
  };
  return { begin, run };
}
