import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type * as z from 'zod/mini';
import { type Token as TokenReply, tokenCalls } from '../../../src/api/accounts/token.ts';
import { TOKEN_STATUS } from '../../../src/domain/statuses.ts';
import { toast } from '../components/layout/toasts.tsx';
import { client } from '../lib/api/api.ts';
import { tokenKeys } from '../lib/api/query-keys.ts';

type Token = z.output<typeof TokenReply>;

const tokens = client({ list: tokenCalls.list, reveal: tokenCalls.reveal });

const MAX_TOKENS = 100;
/** Long enough to read the reason. */
const REDIRECT_MS = 1_500;

/**
 * The user's first enabled token. If there is none, shows a message and redirects to the tokens,
 * because screens that need one cannot work without it.
 * @param isNeeded false while it is unknown whether a token is needed.
 */
export function useEnabledToken(isNeeded = true): {
  readonly token: Token | undefined;
  readonly error: unknown;
  readonly retry: () => unknown;
} {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery({
    queryKey: tokenKeys.part('first-enabled'),
    queryFn: ({ signal }) => tokens.list({ p: 0, size: MAX_TOKENS }, { signal }),
    enabled: isNeeded,
  });
  const token = data?.items.find(({ status }) => status === TOKEN_STATUS.enabled);
  const isMissing = data !== undefined && token === undefined;
  useEffect(() => {
    if (!isMissing) return undefined;
    toast.error(t('part.noToken'));
    const timer = setTimeout(() => void navigate('/app/tokens'), REDIRECT_MS);
    return () => clearTimeout(timer);
  }, [isMissing, t, navigate]);
  return { token, error: error ?? undefined, retry: refetch };
}

/** The whole key, which lists mask. */
export async function wholeKey({ id }: Pick<Token, 'id'>): Promise<string> {
  return (await tokens.reveal({ id })).key;
}
