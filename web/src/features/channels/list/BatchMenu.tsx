import { Button, Menu } from '@mantine/core';
import {
  type Icon,
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
import type { RowAction } from '../../../components/data-table/columns.ts';
import { MenuItems } from '../../../components/data-table/RowMenu.tsx';
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

function item(key: string, label: string, Icon: Icon, onClick: () => unknown): RowAction {
  return { key, label, icon: <Icon size={ICON} />, onClick };
}

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
  const ofSite = [
    item('test', t('channel.batch.test'), IconPlayerPlay, tests.begin),
    ...(tests.run.results.length > 0
      ? [item('results', t('channel.batch.testResults'), IconListDetails, tests.run.onOpen)]
      : []),
    item('balances', t('channel.batch.balances'), IconWallet, balances.begin),
    item('fix', t('channel.batch.fix'), IconTool, () => fix.run(undefined)),
    item('export', t('channel.batch.export'), IconDownload, () => setDialog('export')),
    item('import', t('channel.batch.import'), IconUpload, () => setDialog('import')),
    {
      ...item('removeDisabled', t('channel.batch.removeDisabled'), IconTrashX, removeDisabled),
      isDanger: true,
    },
  ];
  const ofChosen = [
    item('tag', t('channel.bulk.tag'), IconTag, tag),
    { ...item('remove', t('channel.batch.removeChosen'), IconTrash, bulk.remove), isDanger: true },
  ];
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
          <MenuItems actions={ofSite} />
          <Menu.Divider />
          <Menu.Label>{t('channel.batch.chosen', { count: chosen.size })}</Menu.Label>
          <MenuItems actions={ofChosen} />
        </Menu.Dropdown>
      </Menu>
      {dialog === 'tag' && <TagDialog ids={[...chosen]} onClose={close} />}
      {dialog === 'export' && <ExportDialog onClose={close} />}
      {dialog === 'import' && <ImportDialog onClose={close} />}
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
