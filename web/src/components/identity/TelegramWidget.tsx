import { Center } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useStatus } from '../../lib/status.ts';
import { beginTelegram, STATE } from '../../lib/telegram.ts';

const SCRIPT = 'https://telegram.org/js/telegram-widget.js?22';

interface TelegramWidgetProps {
  /** Place of this site the browser comes back to, with the answer in its query. */
  readonly returnTo: string;
}

/**
 * The button of the site's bot. The widget's way by a callback evaluates text as code, which the
 * page's Content-Security-Policy refuses, so it goes by the address.
 */
export function TelegramWidget({ returnTo }: TelegramWidgetProps) {
  const bot = useStatus()?.telegram_bot_name ?? '';
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const back = new URL(returnTo, window.location.origin);
    back.searchParams.set(STATE, beginTelegram());
    const script = document.createElement('script');
    script.async = true;
    script.src = SCRIPT;
    script.dataset.telegramLogin = bot;
    script.dataset.size = 'large';
    script.dataset.authUrl = back.href;
    place.current?.replaceChildren(script);
  }, [bot, returnTo]);
  return (
    <Center mih={40}>
      <div ref={place} />
    </Center>
  );
}
