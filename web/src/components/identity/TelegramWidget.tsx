import { Center } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { beginTelegram, TELEGRAM_STATE } from '../../lib/session/telegram.ts';
import { useStatus } from '../../lib/site/status.ts';

const SCRIPT = 'https://telegram.org/js/telegram-widget.js?22';

interface TelegramWidgetProps {
  /** Path of this site to return to, with the result in its query. */
  readonly returnTo: string;
}

/**
 * The login button of the site's bot. The widget's callback mode evaluates text as code, which the
 * page's Content-Security-Policy blocks, so it uses the redirect mode.
 */
export function TelegramWidget({ returnTo }: TelegramWidgetProps) {
  const bot = useStatus()?.telegram_bot_name ?? '';
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const back = new URL(returnTo, window.location.origin);
    back.searchParams.set(TELEGRAM_STATE, beginTelegram());
    const script = document.createElement('script');
    script.async = true;
    script.src = SCRIPT;
    script.dataset.telegramLogin = bot;
    script.dataset.size = 'large';
    script.dataset.authUrl = back.href;
    container.current?.replaceChildren(script);
  }, [bot, returnTo]);
  return (
    <Center mih={40}>
      <div ref={container} />
    </Center>
  );
}
