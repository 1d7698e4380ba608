import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BulkBar } from '../../../components/data-table/BulkBar.tsx';
import { say } from '../../../components/layout/toasts.tsx';
import { type Channel, channels } from '../calls.ts';
import { TagDialog } from '../tags/TagDialog.tsx';
import type { ChannelQuery } from './channel-filters.ts';
import { OrderDialog } from './OrderDialog.tsx';
import { useBulk } from './useChannelBulk.tsx';

interface ChannelBulkBarProps {
  readonly chosen: ReadonlySet<number>;
  readonly onChosen: (ids: ReadonlySet<number>) => void;
  readonly query: ChannelQuery;
  /** Matching rows; in the tag view these are tags, which cannot all be selected at once. */
  readonly total: number;
  readonly shown: readonly Channel[];
}

export function ChannelBulkBar({ chosen, onChosen, query, total, shown }: ChannelBulkBarProps) {
  const { t } = useTranslation();
  const bulk = useBulk(chosen, onChosen);
  const [dialog, setDialog] = useState<'tag' | 'order'>();
  const isPageChosen = shown.length > 0 && shown.every(({ id }) => chosen.has(id));
  const selectAll = async () => {
    try {
      onChosen(await matchingIds(query));
    } catch (error) {
      say.failure(error);
    }
  };
  return (
    <>
      <BulkBar
        count={chosen.size}
        onClear={() => onChosen(new Set())}
        {...(!query.tag_mode &&
          isPageChosen && { selectAll: { total, onClick: () => void selectAll() } })}
      >
        <Button size="xs" variant="default" onClick={() => void bulk.setStatus(1)}>
          {t('action.enable')}
        </Button>
        <Button size="xs" variant="default" onClick={() => void bulk.setStatus(2)}>
          {t('action.disable')}
        </Button>
        <Button size="xs" variant="default" onClick={() => setDialog('tag')}>
          {t('channel.bulk.tag')}
        </Button>
        <Button size="xs" variant="default" onClick={() => setDialog('order')}>
          {t('channel.bulk.order')}
        </Button>
        <Button size="xs" color="danger" onClick={() => void bulk.remove()}>
          {t('action.delete')}
        </Button>
      </BulkBar>
      <TagDialog isOpen={dialog === 'tag'} ids={[...chosen]} onClose={() => setDialog(undefined)} />
      <OrderDialog
        isOpen={dialog === 'order'}
        ids={[...chosen]}
        onClose={() => setDialog(undefined)}
      />
    </>
  );
}

const PAGE = 100;
/** The maximum per call of the gateway. */
const MOST = 1_000;

async function matchingIds(query: ChannelQuery): Promise<Set<number>> {
  const ids = new Set<number>();
  for (let p = 1; ids.size < MOST; p += 1) {
    const { items, total } = await channels.search({ ...query, p, page_size: PAGE });
    for (const { id } of items) ids.add(id);
    if (items.length === 0 || p * PAGE >= total) break;
  }
  return new Set([...ids].slice(0, MOST));
}
