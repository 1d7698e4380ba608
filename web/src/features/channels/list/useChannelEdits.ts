/** Optimistic edits in the channel list, rolled back if the gateway refuses. */
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { CHANNEL_STATUS } from '../../../../../src/domain/statuses.ts';
import { toast } from '../../../components/layout/toasts.tsx';
import { ApiError } from '../../../lib/api/api.ts';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import { type Channel, channelBatch, channels, channelTags } from '../calls.ts';

interface Page {
  readonly items: readonly Channel[];
}

type Status = 1 | 2;
type Order = { readonly priority: number } | { readonly weight: number };

export function useChannelEdits() {
  const { t } = useTranslation();
  const write = useOptimisticWrite();
  const setStatus = async (channel: Channel, status: Status): Promise<void> => {
    const send = () => channels.edit({ id: channel.id, status });
    if (!(await write([channel.id], { status }, send))) return;
    const text = t(status === 1 ? 'channel.done.enabled' : 'channel.done.disabled', {
      name: channel.name,
    });
    const undo = () => void setStatus({ ...channel, status }, status === 1 ? 2 : 1);
    toast.success(text, { undo });
  };
  const setOrder = async (channel: Channel, order: Order): Promise<void> => {
    const send = () => channels.edit({ id: channel.id, ...order });
    if (!(await write([channel.id], order, send))) return;
    const before =
      'priority' in order ? { priority: channel.priority } : { weight: channel.weight };
    const undo = () =>
      void write([channel.id], before, () => channels.edit({ id: channel.id, ...before }));
    toast.success(t('channel.done.saved', { name: channel.name }), { undo });
  };
  const setTagOrder = async (tag: string, own: readonly Channel[], order: Order) => {
    if (await write(idsOf(own), order, () => channelTags.edit({ tag, ...order })))
      toast.success(t('channel.done.tagChanged', { count: own.length }));
  };
  const setTagStatus = async (tag: string, own: readonly Channel[], status: Status) => {
    const send = () => (status === 1 ? channelTags.enable({ tag }) : channelTags.disable({ tag }));
    if (await write(idsOf(own), { status }, send)) toast.success(countText(status, own.length));
  };
  const setStatusOfAll = async (ids: readonly number[], status: Status) => {
    let met = 0;
    const send = async () => {
      met = await channelBatch.edit({ ids: [...ids], status });
    };
    if (await write(ids, { status }, send)) toast.success(countText(status, met));
  };
  const countText = (status: Status, count: number) =>
    t(status === 1 ? 'channel.done.enabledMany' : 'channel.done.disabledMany', { count });
  return { setStatus, setOrder, setTagOrder, setTagStatus, setStatusOfAll };
}

function idsOf(channels: readonly Channel[]): number[] {
  return channels.map(({ id }) => id);
}

/** True if the gateway accepted it. */
function useOptimisticWrite() {
  const { t } = useTranslation();
  const cache = useQueryClient();
  return async (
    ids: readonly number[],
    patch: Partial<Channel>,
    send: () => Promise<unknown>,
  ): Promise<boolean> => {
    const lists = { queryKey: [...channelKeys.all, 'list'] };
    await cache.cancelQueries(lists);
    const before: [QueryKey, Page | undefined][] = cache.getQueriesData<Page>(lists);
    const show = () =>
      cache.setQueriesData<Page>(lists, (page) => page && patched(page, ids, patch));
    // Disabling may ask first, and while the question is open nothing is disabled.
    const mayAsk = patch.status === CHANNEL_STATUS.disabled;
    try {
      if (!mayAsk) show();
      await send();
      if (mayAsk) show();
      return true;
    } catch (error) {
      for (const [key, page] of before) cache.setQueryData(key, page);
      if (isMissing(error)) toast.error(t('channel.missing'));
      else toast.failure(error);
      return false;
    } finally {
      await cache.invalidateQueries({ queryKey: channelKeys.all });
    }
  };
}

function patched(page: Page, ids: readonly number[], patch: Partial<Channel>): Page {
  const items = page.items.map((row) => (ids.includes(row.id) ? { ...row, ...patch } : row));
  return { ...page, items };
}

/** The channel was deleted meanwhile. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'channel_missing';
}
