import { NumberInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CHANNEL } from '../../../../../src/domain/nouns/channel.ts';
import { BulkBar } from '../../../components/data-table/BulkBar.tsx';
import { FormDialog } from '../../../components/forms/FormDialog.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import { type Channel, channelBatch, channels } from '../calls.ts';
import { isWhole } from '../editor/channel-form.ts';
import { TagDialog } from '../tags/TagDialog.tsx';
import type { ChannelQuery } from './channel-filters.ts';
import { useBulkActions } from './useChannelBulk.tsx';

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
  const bulk = useBulkActions(chosen, onChosen);
  const [dialog, setDialog] = useState<'tag' | 'order'>();
  const close = () => setDialog(undefined);
  const isPageChosen = shown.length > 0 && shown.every(({ id }) => chosen.has(id));
  const selectAll = async () => {
    try {
      onChosen(await matchingIds(query));
    } catch (error) {
      toast.failure(error);
    }
  };
  return (
    <>
      <BulkBar
        count={chosen.size}
        onClear={() => onChosen(new Set())}
        {...(!query.tag_mode &&
          isPageChosen && { selectAll: { total, onClick: () => void selectAll() } })}
        actions={[
          { key: 'on', label: t('action.enable'), onClick: () => bulk.setStatus(1) },
          { key: 'off', label: t('action.disable'), onClick: () => bulk.setStatus(2) },
          { key: 'tag', label: t('channel.bulk.tag'), onClick: () => setDialog('tag') },
          { key: 'order', label: t('channel.bulk.order'), onClick: () => setDialog('order') },
          { key: 'delete', label: t('action.delete'), isDanger: true, onClick: bulk.remove },
        ]}
      />
      {dialog === 'tag' && <TagDialog ids={[...chosen]} onClose={close} />}
      {dialog === 'order' && <OrderDialog ids={[...chosen]} onClose={close} />}
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

interface OrderDialogProps {
  readonly ids: readonly number[];
  readonly onClose: () => void;
}

type Typed = number | string;

/** Priority and weight of the selected channels; an empty field keeps the current value. */
function OrderDialog({ ids, onClose }: OrderDialogProps) {
  const { t } = useTranslation();
  const problemOf = (name: 'priority' | 'weight', value: Typed) => {
    const { least } = CHANNEL[name];
    return value === '' || isWhole(value, least) ? null : t('channel.check.least', { least });
  };
  const form = useForm<{ priority: Typed; weight: Typed }>({
    initialValues: { priority: '', weight: '' },
    validate: {
      priority: (value) => problemOf('priority', value),
      weight: (value, { priority }) =>
        value === '' && priority === '' ? t('channel.bulk.orderEmpty') : problemOf('weight', value),
    },
  });
  return (
    <FormDialog
      onClose={onClose}
      title={t('channel.bulk.orderTitle', { count: ids.length })}
      form={form}
      onSubmit={({ priority, weight }: { priority: Typed; weight: Typed }) =>
        channelBatch.edit({
          ids: [...ids],
          ...(priority !== '' && { priority: Number(priority) }),
          ...(weight !== '' && { weight: Number(weight) }),
        })
      }
      touches={[channelKeys]}
      done={(count) => t('channel.done.changedMany', { count })}
      verb={t('channel.bulk.orderVerb', { count: ids.length })}
    >
      {(['priority', 'weight'] as const).map((name) => (
        <NumberInput
          key={name}
          data-autofocus={name === 'priority' || undefined}
          label={t(`channel.field.${name}`)}
          description={t(`channel.hint.${name}`)}
          {...form.getInputProps(name)}
        />
      ))}
    </FormDialog>
  );
}
