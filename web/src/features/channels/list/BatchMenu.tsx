import { Button, Menu } from '@mantine/core';
import {
  IconChevronDown,
  IconDownload,
  IconListDetails,
  IconPlayerPlay,
  IconTag,
  IconTool,
  IconTrash,
  IconTrashX,
  IconUpload,
  IconWallet,
} from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { confirm } from '../../../components/layout/confirm.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import { MAX_NAMED, someNames } from '../../../lib/text/lists.ts';
import { channelBatch, channels } from '../calls.ts';
import { TagDialog } from '../tags/TagDialog.tsx';
import { ResultsDialog } from '../tests/ResultsDialog.tsx';
import { TestRunDialog } from '../tests/TestRunDialog.tsx';
import { useAllBalances } from '../tests/useAllBalances.tsx';
import { useTestAll } from '../tests/useTestRun.tsx';
import { ExportDialog } from '../transfer/ExportDialog.tsx';
import { ImportDialog } from '../transfer/ImportDialog.tsx';
import { useBulkActions } from './useChannelBulk.tsx';

interface BatchMenuProps {
  readonly chosen: ReadonlySet<number>;
  readonly onChosen: (ids: ReadonlySet<number>) => void;
}

const ICON = 16;
const DANGER = 'var(--tone-red-text)';

/** Actions on many channels: the selected ones, or all of the site. */
export function BatchMenu({ chosen, onChosen }: BatchMenuProps) {
  const { t } = useTranslation();
  const bulk = useBulkActions(chosen, onChosen);
  const tests = useTestAll();
  const balances = useAllBalances();
  const { fix, removeDisabled } = useUpkeep();
  const [dialog, setDialog] = useState<'tag' | 'export' | 'import'>();
  const close = () => setDialog(undefined);
  const tag = () => (chosen.size === 0 ? toast.error(t('channel.bulk.tagNone')) : setDialog('tag'));
  return (
    <>
      <Menu withinPortal>
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={ICON} />}>
            {t('common.batchActions')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t('channel.batch.all')}</Menu.Label>
          <Menu.Item
            leftSection={<IconPlayerPlay size={ICON} />}
            onClick={() => void tests.begin()}
          >
            {t('channel.batch.test')}
          </Menu.Item>
          {tests.run.results.length > 0 && (
            <Menu.Item leftSection={<IconListDetails size={ICON} />} onClick={tests.run.onOpen}>
              {t('channel.batch.testResults')}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconWallet size={ICON} />} onClick={() => void balances.begin()}>
            {t('channel.batch.balances')}
          </Menu.Item>
          <Menu.Item leftSection={<IconTool size={ICON} />} onClick={() => fix.run(undefined)}>
            {t('channel.batch.fix')}
          </Menu.Item>
          <Menu.Item leftSection={<IconDownload size={ICON} />} onClick={() => setDialog('export')}>
            {t('channel.batch.export')}
          </Menu.Item>
          <Menu.Item leftSection={<IconUpload size={ICON} />} onClick={() => setDialog('import')}>
            {t('channel.batch.import')}
          </Menu.Item>
          <Menu.Item
            c={DANGER}
            leftSection={<IconTrashX size={ICON} />}
            onClick={() => void removeDisabled()}
          >
            {t('channel.batch.removeDisabled')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Label>{t('channel.batch.chosen', { count: chosen.size })}</Menu.Label>
          <Menu.Item leftSection={<IconTag size={ICON} />} onClick={tag}>
            {t('channel.bulk.tag')}
          </Menu.Item>
          <Menu.Item
            c={DANGER}
            leftSection={<IconTrash size={ICON} />}
            onClick={() => bulk.remove()}
          >
            {t('channel.batch.removeChosen')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <TagDialog isOpen={dialog === 'tag'} ids={[...chosen]} onClose={close} />
      <ExportDialog isOpen={dialog === 'export'} onClose={close} />
      <ImportDialog isOpen={dialog === 'import'} onClose={close} />
      <TestRunDialog run={tests.run} />
      <ResultsDialog title={t('channel.balances.title')} {...balances.panel} />
    </>
  );
}

function useUpkeep() {
  const { t } = useTranslation();
  const fix = useAction(() => channels.fixAbilities({}), {
    touches: [channelKeys],
    done: (count) => t('channel.done.fixed', { count }),
    confirm: () => ({
      title: t('channel.fix.title'),
      text: t('channel.fix.text'),
      verb: t('channel.fix.verb'),
    }),
  });
  const remove = useAction(() => channelBatch.removeDisabled({}), {
    touches: [channelKeys],
    done: (count) => t('channel.done.deletedMany', { count }),
  });
  const removeDisabled = async () => {
    const { names, count } = await disabledChannels();
    if (count === 0) return toast.info(t('channel.removeDisabled.none'));
    const isSure = await confirm({
      title: t('channel.removeDisabled.title'),
      text: t('channel.removeDisabled.text', { count, names }),
      verb: t('channel.bulk.deleteVerb', { count }),
      isDanger: true,
    });
    if (isSure) remove.mutate(undefined);
  };
  return { fix, removeDisabled };
}

/** How many channels are disabled, and the names of the first ones. */
async function disabledChannels(): Promise<{ readonly names: string; readonly count: number }> {
  const page = { p: 1, page_size: MAX_NAMED, health: 'off' } as const;
  const { items, total } = await channels.list(page);
  return {
    names: someNames(
      items.map(({ name }) => name),
      total,
    ),
    count: total,
  };
}
