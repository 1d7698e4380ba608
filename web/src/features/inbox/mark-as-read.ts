import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { toast } from '../../components/layout/toasts.tsx';
import { patchRow } from '../../lib/api/cached-rows.ts';
import { messageKeys } from '../../lib/api/query-keys.ts';
import { inbox, type OwnMessage, UNREAD_KEY } from './calls.ts';

/** Opening a message marks it as read, optimistically in the list and the bell. */
export function useMarkAsRead(message: OwnMessage | undefined): void {
  const cache = useQueryClient();
  const id = message?.id;
  const isNew = message !== undefined && !message.is_read;
  useEffect(() => {
    if (id === undefined || !isNew) return;
    showRead(cache, id);
    inbox.markRead({ id }).then(
      () => settle(cache, id),
      (error: unknown) => {
        toast.failure(error);
        return cache.invalidateQueries({ queryKey: messageKeys.all });
      },
    );
  }, [cache, id, isNew]);
}

function showRead(cache: QueryClient, id: number): void {
  const patch = { is_read: true, read_at: new Date().toISOString() };
  patchRow(cache, messageKeys, id, patch);
  cache.setQueryData(messageKeys.part('mine', id), (message: OwnMessage | undefined) =>
    message ? { ...message, ...patch } : message,
  );
  // A response requested before the message was read would count it again.
  void cache.cancelQueries({ queryKey: UNREAD_KEY });
  cache.setQueryData(UNREAD_KEY, (unread: { unread_count: number } | undefined) =>
    unread ? { unread_count: Math.max(0, unread.unread_count - 1) } : unread,
  );
}

/** Refetches running queries, which may return the message as unread. */
function settle(cache: QueryClient, id: number): Promise<void> {
  patchRow(cache, messageKeys, id, { is_read: true });
  return cache.invalidateQueries({
    queryKey: messageKeys.all,
    predicate: ({ queryKey, state }) =>
      state.fetchStatus === 'fetching' || queryKey.at(-1) === UNREAD_KEY.at(-1),
  });
}

const BATCH = 100;

/** Marks all unread messages as read, one after the other. */
export function useMarkAllAsRead() {
  const cache = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const readAll = async () => {
    setBusy(true);
    try {
      for (;;) {
        const { items } = await inbox.inbox({ unread: true, page_size: BATCH });
        for (const { id } of items) await inbox.markRead({ id });
        if (items.length < BATCH) break;
      }
    } catch (error) {
      toast.failure(error);
    } finally {
      await cache.invalidateQueries({ queryKey: messageKeys.all });
      setBusy(false);
    }
  };
  return { isBusy, readAll };
}
