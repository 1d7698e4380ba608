/** The site notice, and whether this browser has already shown this exact text. */
import { queryOptions } from '@tanstack/react-query';
import { client } from '../../lib/api/api.ts';
import { RARELY_CHANGED_STALE_MS } from '../../lib/api/query-client.ts';
import { STORED, useStored } from '../../lib/browser/stored.ts';
import { hashOf } from '../display/tones.ts';

export const siteNoticeQuery = queryOptions({
  queryKey: ['public', 'notice'],
  queryFn: async ({ signal }) => {
    const { publicCalls } = await import('../../../../src/api/site/public.ts');
    return client({ notice: publicCalls.notice }).notice({}, { signal });
  },
  staleTime: RARELY_CHANGED_STALE_MS,
});

export function useSiteNotice(text: string): { readonly isNew: boolean; markRead(): void } {
  const [read, setRead] = useStored(STORED.noticeRead);
  const hash = String(hashOf(text));
  return { isNew: text.trim() !== '' && read !== hash, markRead: () => setRead(hash) };
}
