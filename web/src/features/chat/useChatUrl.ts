import { useQuery } from '@tanstack/react-query';
import { useEnabledToken, wholeKey } from '../../hooks/useEnabledToken.ts';
import { tokenKeys } from '../../lib/api/query-keys.ts';
import { STORED, useStored } from '../../lib/browser/stored.ts';
import { useUser } from '../../lib/session/session.ts';
import { baseUrl } from '../../lib/site/base-url.ts';
import { chatAt, chatsOf, chatUrl, needsKey } from '../../lib/site/chat-links.ts';
import { useStatus } from '../../lib/site/status.ts';

/** The address at which a chat application opens, or why it cannot. */
export type ChatOpening =
  | { readonly state: 'waiting' }
  | { readonly state: 'broken'; readonly why: 'data' | 'entry' }
  /** Needs a key of the user, and no user is signed in. */
  | { readonly state: 'guest' }
  | { readonly state: 'failed'; readonly error: unknown; readonly retry: () => unknown }
  | { readonly state: 'ready'; readonly name: string; readonly url: string };

/** @param id the entry's index from the URL; the first by default. */
export function useChatUrl(id = '0'): ChatOpening {
  const [text] = useStored(STORED.chats);
  const status = useStatus();
  const isGuest = useUser() === undefined;
  const chats = chatsOf(text);
  const entry = chatAt(chats, id);
  const wantsKey = entry !== undefined && needsKey(entry);
  const enabled = useEnabledToken(wantsKey && !isGuest);
  const { token } = enabled;
  const key = useQuery({
    queryKey: tokenKeys.part('key', token?.id),
    queryFn: () => (token ? wholeKey(token) : Promise.reject(new Error('no token'))),
    enabled: token !== undefined,
    // Do not cache a secret longer than its screen is open.
    gcTime: 0,
  });
  if (chats.isBroken) return { state: 'broken', why: 'data' };
  if (status === undefined) return { state: 'waiting' };
  if (entry === undefined) return { state: 'broken', why: 'entry' };
  if (wantsKey && isGuest) return { state: 'guest' };
  if (enabled.error !== undefined)
    return { state: 'failed', error: enabled.error, retry: enabled.retry };
  if (key.error !== null) return { state: 'failed', error: key.error, retry: key.refetch };
  if (wantsKey && key.data === undefined) return { state: 'waiting' };
  const address = baseUrl(status.server_address, window.location.origin);
  const url = chatUrl(entry.url, { address, key: key.data ?? '' });
  return url === undefined
    ? { state: 'broken', why: 'entry' }
    : { state: 'ready', name: entry.name, url };
}
