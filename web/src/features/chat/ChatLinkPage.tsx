import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { usePageTitle } from '../../components/layout/PageHeader.tsx';
import { NotReady, type NotReadyOpening } from './ChatPage.tsx';
import { type ChatOpening, useChatPlace } from './useChatPlace.ts';

/** Leaves for the first chat program. */
export function ChatLinkPage() {
  const { t } = useTranslation();
  const opening = useChatPlace();
  usePageTitle(t('chat.title'));
  const place = opening.state === 'ready' ? opening.place : undefined;
  useEffect(() => {
    if (place !== undefined) window.location.replace(place);
  }, [place]);
  return <NotReady opening={shownOf(opening)} waiting={t('chat.redirecting')} />;
}

/** Until the browser has left, and while the guard sends a guest to sign in, nothing is ready. */
function shownOf(opening: ChatOpening): NotReadyOpening {
  const isWaiting = opening.state === 'ready' || opening.state === 'guest';
  return isWaiting ? { state: 'waiting' } : opening;
}
