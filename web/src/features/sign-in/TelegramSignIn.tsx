import { Center, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { useSearchParams } from 'react-router-dom';
import { oauthCalls } from '../../../../src/api/accounts/oauth.ts';
import { TelegramWidget } from '../../components/identity/TelegramWidget.tsx';
import { say } from '../../components/layout/toasts.tsx';
import { client } from '../../lib/api/api.ts';
import { endTelegram, ownTelegramAnswer, type TelegramAnswer } from '../../lib/session/telegram.ts';
import { useSignedIn } from './useSignedIn.ts';

const oauth = client({ signIn: oauthCalls.postTelegram });

interface TelegramSignInProps {
  /** The widget's script is loaded only after its button was pressed. */
  readonly isOpen: boolean;
  readonly returnTo: string | null;
}

export function TelegramSignIn({ isOpen, returnTo }: TelegramSignInProps) {
  const [query] = useSearchParams();
  const answer = ownTelegramAnswer(query);
  const place = returnTo === null ? '/login' : `/login?${new URLSearchParams({ returnTo })}`;
  if (answer !== undefined) return <Finish answer={answer} returnTo={returnTo} />;
  return isOpen ? <TelegramWidget returnTo={place} /> : null;
}

interface FinishProps {
  readonly answer: TelegramAnswer;
  readonly returnTo: string | null;
}

function Finish({ answer, returnTo }: FinishProps) {
  const [, setQuery] = useSearchParams();
  const signedIn = useSignedIn();
  const { data, error } = useQuery({
    queryKey: ['sign-in', 'telegram', answer.hash],
    queryFn: () => oauth.signIn(answer),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const end = useEffectEvent(() => {
    if (data || error) endTelegram();
    if (data) void signedIn(data, 'telegram', returnTo);
    if (!error) return;
    say.failure(error);
    setQuery(returnTo === null ? {} : { returnTo }, { replace: true });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the response arrives
  useEffect(() => end(), [data, error]);
  return (
    <Center mih={40}>
      <Loader size="sm" />
    </Center>
  );
}
