import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { usePageTitle } from '../../components/layout/PageHeader.tsx';
import { ChatNotReady, type NotReadyOpening } from './ChatPage.tsx';
import { type ChatOpening, useChatUrl } from './useChatUrl.ts';

/** Redirects to the first chat application. */
export function ChatLinkPage() {
  const { t } = useTranslation();
  const opening = useChatUrl();
  usePageTitle(t('nav.chats'));
  const url = opening.state === 'ready' ? opening.url : undefined;
  useEffect(() => {
    if (url !== undefined) window.location.replace(url);
  }, [url]);
  return <ChatNotReady opening={shownOf(opening)} waiting={t('chat.redirecting')} />;
}

/** Shown until the browser has navigated, or while the guard redirects a guest to sign in. */
function shownOf(opening: ChatOpening): NotReadyOpening {
  const isWaiting = opening.state === 'ready' || opening.state === 'guest';
  return isWaiting ? { state: 'waiting' } : opening;
}
