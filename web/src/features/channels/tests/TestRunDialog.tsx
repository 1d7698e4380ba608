import { Button, Loader } from '@mantine/core';
import { IconRefresh, IconToggleLeft } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../../../components/display/IconButton.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { useBulkActions } from '../list/useChannelBulk.tsx';
import { type ChannelResult, ResultsDialog } from './ResultsDialog.tsx';
import type { TestRun } from './useTestRun.tsx';

const ICON = 16;

/** Results of the test of all channels; failed ones can be retested or disabled here. */
export function TestRunDialog({ run }: { readonly run: TestRun }) {
  const { t } = useTranslation();
  const { results, isRunning, isOpen, onClose, retry, retried } = run;
  const failed = results.filter(({ isOk }) => !isOk).map(({ id }) => id);
  const disabling = useBulkActions(new Set(failed), () => undefined);
  const isIdle = !isRunning && retried.size === 0;
  const rowTools = ({ id, name, isOk }: ChannelResult) => {
    if (retried.has(id)) return <Loader size={ICON} aria-label={t('channel.results.testing')} />;
    if (isOk || isRunning) return null;
    return (
      <>
        <IconButton
          label={t('channel.results.retryOne', { name })}
          onClick={() => void retry([id])}
        >
          <IconRefresh size={ICON} />
        </IconButton>
        <DisableOne id={id} name={name} />
      </>
    );
  };
  return (
    <ResultsDialog
      title={t('channel.testAll.title')}
      {...{ results, isOpen, onClose, rowTools }}
      tools={
        failed.length > 0 && (
          <>
            <SideButton
              disabled={!isIdle}
              label={t('channel.results.disable', { count: failed.length })}
              onClick={() => void disabling.setStatus(2)}
            />
            <Button disabled={!isIdle} onClick={() => void retry(failed)}>
              {t('channel.results.retry', { count: failed.length })}
            </Button>
          </>
        )
      }
    />
  );
}

function DisableOne({ id, name }: Pick<ChannelResult, 'id' | 'name'>) {
  const { t } = useTranslation();
  const { setStatus } = useBulkActions(new Set([id]), () => undefined);
  return (
    <IconButton
      label={t('channel.results.disableOne', { name })}
      tone="red"
      onClick={() => void setStatus(2)}
    >
      <IconToggleLeft size={ICON} />
    </IconButton>
  );
}
