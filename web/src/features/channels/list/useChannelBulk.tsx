/** Actions on the selected channels; each response has the number of affected channels. */

import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { confirm } from '../../../components/layout/confirm.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import { someNames } from '../../../lib/text/lists.ts';
import { type Channel, channelBatch } from '../calls.ts';
import { useChannelEdits } from './useChannelEdits.ts';

type Ids = ReadonlySet<number>;

export function useBulkActions(chosen: Ids, onChosen: (ids: Ids) => void) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const { setStatusOfAll } = useChannelEdits();
  const remove = useAction((ids: number[]) => channelBatch.remove({ ids }), {
    touches: [channelKeys],
    done: (count) => t('channel.done.deletedMany', { count }),
    onDone: () => onChosen(new Set()),
    confirm: (ids) => ({
      title: t('channel.bulk.deleteTitle', { count: ids.length }),
      text: t('channel.removeDisabled.text', {
        count: ids.length,
        names: someNames(namesOf(cache, ids), ids.length),
      }),
      verb: t('channel.bulk.deleteVerb', { count: ids.length }),
      isDanger: true,
    }),
  });
  const count = chosen.size;
  return {
    remove: () =>
      count === 0 ? toast.error(t('channel.bulk.deleteNone')) : remove.run([...chosen]),
    setStatus: async (status: 1 | 2) => {
      const words = status === 1 ? 'enable' : 'disable';
      const isSure = await confirm({
        title: t(`channel.bulk.${words}Title`, { count }),
        verb: t(`channel.bulk.${words}Verb`, { count }),
        isDanger: status === 2,
      });
      if (isSure) await setStatusOfAll([...chosen], status);
    },
  };
}

/** Sets a tag; Undo restores each channel's own tag, as far as the page knows it. */
export function useSetTag(): (ids: readonly number[], tag: string) => Promise<void> {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const refresh = () => cache.invalidateQueries({ queryKey: channelKeys.all });
  return async (ids, tag) => {
    const before = tagsBefore(cache, ids);
    const count = await channelBatch.setTag({ ids: [...ids], tag: tag || null });
    const undo = async () => {
      for (const [old, own] of before) await channelBatch.setTag({ ids: own, tag: old || null });
      await refresh();
    };
    const isKnown = [...before.values()].flat().length === ids.length;
    const takeBack = () => void undo().catch(toast.failure);
    toast.success(t('channel.done.tagged', { count }), isKnown ? { undo: takeBack } : {});
    await refresh();
  };
}

function tagsBefore(cache: QueryClient, ids: readonly number[]): Map<string, number[]> {
  const known = knownChannels(cache);
  const tags = new Map<string, number[]>();
  for (const id of ids) {
    const tag = known.get(id)?.tag;
    if (tag !== undefined) tags.set(tag, [...(tags.get(tag) ?? []), id]);
  }
  return tags;
}

function namesOf(cache: QueryClient, ids: readonly number[]): readonly string[] {
  const known = knownChannels(cache);
  return ids.flatMap((id) => known.get(id)?.name ?? []);
}

/** The channels that pages of the list have shown. */
export function knownChannels(cache: QueryClient): ReadonlyMap<number, Channel> {
  const pages = cache.getQueriesData<{ readonly items: readonly Channel[] }>({
    queryKey: [...channelKeys.all, 'list'],
  });
  return new Map(pages.flatMap(([, page]) => page?.items ?? []).map((row) => [row.id, row]));
}
