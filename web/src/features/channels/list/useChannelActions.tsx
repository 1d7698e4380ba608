/** Actions on one row of the list: a channel, or all channels of a tag. */

import { useCallbackRef } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { RowAction } from '../../../components/data-table/columns.ts';
import { rowActions } from '../../../components/data-table/row-actions.tsx';
import { confirm } from '../../../components/layout/confirm.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import { linkTo } from '../../../lib/browser/page-links.ts';
import { useCellText } from '../../../lib/text/cell-text.ts';
import { type Channel, channelBalances, channels } from '../calls.ts';
import { useChannelTypes } from '../editor/useChannelTypes.ts';
import { testRow } from '../tests/default-test.ts';
import { balanceText } from './channel-cells.tsx';
import type { ChannelRow, TagRow } from './channel-rows.ts';
import { isMissing, useChannelEdits } from './useChannelEdits.ts';

export interface ChannelOpeners {
  readonly edit: (id: number) => void;
  readonly test: (channel: Channel) => void;
  readonly fetchModels: (channel: Channel) => void;
  readonly editTag: (row: TagRow) => void;
}

export function useRowActions(openers: ChannelOpeners): (row: ChannelRow) => readonly RowAction[] {
  const ofChannel = useChannelActions(openers);
  const ofTag = useTagActions(openers);
  return useCallback(
    (row) => (row.kind === 'tag' ? ofTag(row) : ofChannel(row.channel)),
    [ofTag, ofChannel],
  );
}

function useChannelActions(openers: ChannelOpeners): (channel: Channel) => readonly RowAction[] {
  const t = useCellText();
  const navigate = useNavigate();
  const balance = useBalanceRefresh();
  const edit = useCallbackRef(openers.edit);
  const test = useCallbackRef(openers.test);
  const testDefault = useDefaultTest();
  const fetchModels = useCallbackRef(openers.fetchModels);
  const copy = useCopy(edit);
  const remove = useRemove();
  const types = useChannelTypes();
  return useCallback(
    (channel) => {
      const type = types.get(channel.type);
      return rowActions(t, {
        test: { label: t('common.test'), isPrimary: true, onClick: () => testDefault(channel) },
        edit: { isPrimary: true, onClick: () => edit(channel.id) },
        testModels: { label: t('channel.action.testModels'), onClick: () => test(channel) },
        models: {
          label: t('channel.action.fetchModels'),
          onClick: () => fetchModels(channel),
          refusal: type?.lists_models === false ? t('channel.models.noList') : undefined,
        },
        balance: {
          label: t('channel.action.balance'),
          onClick: () => balance(channel),
          refusal: type?.tells_balance === false ? t('channel.balance.none') : undefined,
        },
        copy: { label: t('channel.action.copy'), onClick: () => copy(channel) },
        logs: {
          onClick: () => navigate(linkTo('/app/logs/api-usage', { channel: channel.id })),
        },
        delete: { onClick: () => remove(channel) },
      });
    },
    [t, navigate, balance, edit, test, testDefault, fetchModels, copy, remove, types],
  );
}

/** Tests at once with the channel's test model; ignored while a test is running. */
function useDefaultTest(): (channel: Channel) => Promise<void> {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const running = useRef(new Set<number>());
  return useCallbackRef(async (channel: Channel) => {
    const { current } = running;
    if (current.has(channel.id)) return;
    current.add(channel.id);
    await testRow(channel, t);
    current.delete(channel.id);
    await cache.invalidateQueries({ queryKey: channelKeys.all });
  });
}

/** Queries the upstream, which may not support it. */
export function useBalanceRefresh(): (channel: Channel) => void {
  const { t } = useTranslation();
  const ask = useAction((id: number) => channelBalances.update({ id }), {
    touches: [channelKeys],
    onDone: (reply) => {
      const { channel_name: name, success, message, balance, currency, disabled } = reply;
      if (!success) return toast.error(t('channel.balance.failed', { name, message }));
      toast.success(t('channel.balance.now', { name, balance: balanceText(balance, currency) }));
      if (disabled) toast.info(t('channel.balance.disabled', { name }));
    },
  });
  const { mutate } = ask;
  return useCallback(({ id }) => mutate(id), [mutate]);
}

function useCopy(onCopied: (id: number) => void): (channel: Channel) => void {
  const { t } = useTranslation();
  return useAction(
    (channel: Channel) => channels.copy({ id: channel.id, name: `${channel.name}_copy` }),
    {
      touches: [channelKeys],
      done: ({ name }) => t('channel.done.copied', { name }),
      onDone: ({ id }) => onCopied(id),
      onFailed: (error) => {
        if (isMissing(error)) return toast.error(t('channel.missing'));
        toast.error(t('channel.copyFailed'));
        toast.failure(error);
      },
    },
  ).run;
}

function useRemove(): (channel: Channel) => void {
  const { t } = useTranslation();
  return useAction(({ id }: Channel) => channels.remove({ id }), {
    touches: [channelKeys],
    done: (_reply, { name }) => t('channel.done.deleted', { name }),
    confirm: ({ name }) => ({
      title: t('channel.delete.title', { name }),
      text: t('channel.delete.text'),
      verb: t('channel.delete.verb'),
      isDanger: true,
    }),
    onFailed: (error) =>
      isMissing(error) ? toast.error(t('channel.missing')) : toast.failure(error),
  }).run;
}

function useTagActions(openers: ChannelOpeners): (row: TagRow) => readonly RowAction[] {
  const t = useCellText();
  const { setTagStatus } = useChannelEdits();
  const editTag = useCallbackRef(openers.editTag);
  const ask = useCallbackRef(async (row: TagRow, status: 1 | 2) => {
    const count = row.channels.length;
    const words = status === 1 ? 'enable' : 'disable';
    const isSure = await confirm({
      title: t(`channel.tag.${words}Title`, { tag: row.tag }),
      text: t('channel.tag.all', { count }),
      verb: t(`channel.tag.${words}Verb`, { count }),
      isDanger: status === 2,
    });
    if (isSure) await setTagStatus(row.tag, row.channels, status);
  });
  return useCallback(
    (row) =>
      rowActions(t, {
        edit: { label: t('channel.tag.edit'), isPrimary: true, onClick: () => editTag(row) },
        on: { label: t('channel.tag.enable'), isPrimary: true, onClick: () => ask(row, 1) },
        off: { label: t('channel.tag.disable'), onClick: () => ask(row, 2) },
      }),
    [t, editTag, ask],
  );
}
