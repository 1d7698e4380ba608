import { Button, Center, Loader, VisuallyHidden } from '@mantine/core';
import { IconAppWindow, IconExternalLink } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Navigate, useLocation, useParams } from 'react-router-dom';
import { CopyWideButton } from '../../components/display/copy.tsx';
import { Empty, LoadFailed } from '../../components/layout/list-states.tsx';
import { usePageTitle } from '../../components/layout/PageHeader.tsx';
import { signInPath } from '../../lib/session/return-to.ts';
import { lastSessionEnd } from '../../lib/session/session.ts';
import { ChatFrame, NewTabButton } from './ChatFrame.tsx';
import { chatOpening } from './frame.ts';
import { type ChatOpening, useChatUrl } from './useChatUrl.ts';

/** A chat application of the site with the user's own key, framed if possible. */
export function ChatPage() {
  const { t } = useTranslation();
  const { id } = useParams();
  const { pathname } = useLocation();
  const opening = useChatUrl(id);
  usePageTitle(opening.state === 'ready' ? opening.name : t('nav.chats'));
  if (opening.state === 'ready') {
    const { name, url } = opening;
    const how = chatOpening(url, window.location.protocol);
    return how === 'frame' ? (
      <ChatFrame key={url} name={name} url={url} />
    ) : (
      <ChatOutside name={name} url={url} opening={how} />
    );
  }
  if (opening.state === 'guest')
    return <Navigate replace to={signInPath(pathname, lastSessionEnd())} />;
  return <ChatNotReady opening={opening} waiting={t('chat.loading')} />;
}

export type NotReadyOpening = Exclude<ChatOpening, { readonly state: 'ready' | 'guest' }>;

interface NotReadyProps {
  readonly opening: NotReadyOpening;
  /** Text shown while loading. */
  readonly waiting: string;
}

export function ChatNotReady({ opening, waiting }: NotReadyProps) {
  const { t } = useTranslation();
  return (
    <Center flex={1} p="md">
      <VisuallyHidden component="h1">{t('nav.chats')}</VisuallyHidden>
      {opening.state === 'failed' ? (
        <LoadFailed error={opening.error} onRetry={opening.retry} />
      ) : opening.state === 'broken' ? (
        <div role="alert">
          <Empty title={t(`chat.broken.${opening.why}`)} />
        </div>
      ) : (
        <Empty icon={<Loader size={32} />} title={waiting} />
      )}
    </Center>
  );
}

interface ChatOutsideProps {
  readonly name: string;
  readonly url: string;
  readonly opening: 'app' | 'tab';
}

/** A chat application that cannot be framed: an installed program, or a plain-http page. */
function ChatOutside({ name, url, opening }: ChatOutsideProps) {
  const { t } = useTranslation();
  return (
    <Center flex={1} p="md">
      <VisuallyHidden component="h1">{name}</VisuallyHidden>
      <Empty
        icon={<IconAppWindow size={36} />}
        title={t(`chat.${opening}.title`, { name })}
        text={t(`chat.${opening}.text`)}
        action={
          <>
            {opening === 'tab' ? (
              <NewTabButton url={url} />
            ) : (
              <Button component="a" href={url} leftSection={<IconExternalLink size={16} />}>
                {t('chat.app.open', { name })}
              </Button>
            )}
            <CopyWideButton text={url}>{t('common.copyLink')}</CopyWideButton>
          </>
        }
      />
    </Center>
  );
}
