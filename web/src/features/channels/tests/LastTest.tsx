import { useTranslation } from 'react-i18next';
import { Notice } from '../../../components/display/Notice.tsx';
import type { Channel } from '../calls.ts';
import { modelsOf } from '../list/channel-cells.tsx';
import { useTestResults } from './test-results.ts';

/** The result of this page's last test, unless it succeeded. */
export function LastTest({ channel }: { readonly channel: Channel }) {
  const { t } = useTranslation();
  const model = channel.test_model || modelsOf(channel)[0] || '';
  const test = useTestResults(channel.id).byModel.get(model);
  if (test?.state !== 'done' || test.probe.success) return null;
  return (
    <Notice tone="red" title={t('channel.test.lastFailed', { model })}>
      {test.probe.message || `HTTP ${test.probe.status_code}`}
    </Notice>
  );
}
