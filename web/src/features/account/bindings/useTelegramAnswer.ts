import { useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { useAction } from '../../../hooks/useAction.ts';
import {
  endTelegram,
  ownTelegramAnswer,
  type TelegramAnswer,
} from '../../../lib/session/telegram.ts';
import { oauth, selfKeys } from '../calls.ts';

/** Submits the result of the Telegram redirect once and removes it from the URL. */
export function useTelegramAnswer(): void {
  const { t } = useTranslation();
  const [query, setQuery] = useSearchParams();
  const bind = useAction((answer: TelegramAnswer) => oauth.postBindTelegram(answer), {
    touches: [selfKeys],
    done: () => t('account.bind.done'),
  });
  const send = useEffectEvent(() => {
    const answer = ownTelegramAnswer(query);
    if (answer === undefined) return;
    endTelegram();
    setQuery({}, { replace: true });
    bind.mutate(answer);
  });
  useEffect(() => send(), []);
}
