import { Button, Group, useComputedColorScheme, VisuallyHidden } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import classes from './Chat.module.css';
import { messageFor, sandboxFor } from './frame.ts';

interface ChatFrameProps {
  readonly name: string;
  readonly url: string;
}

/**
 * A page that refuses to be framed or cannot be reached loads empty, so the new-tab link is always
 * shown.
 */
export function ChatFrame({ name, url }: ChatFrameProps) {
  const { t, i18n } = useTranslation();
  const theme = useComputedColorScheme('light');
  const frame = useRef<HTMLIFrameElement>(null);
  const [isLoaded, setLoaded] = useState(false);
  useEffect(() => {
    if (!isLoaded) return;
    // To its original origin only, in case the frame has navigated elsewhere.
    const { message, origin } = messageFor(url, theme, i18n.language);
    frame.current?.contentWindow?.postMessage(message, origin);
  }, [isLoaded, url, theme, i18n.language]);
  return (
    <div className={classes.container}>
      <VisuallyHidden component="h1">{name}</VisuallyHidden>
      <Group justify="flex-end" px="sm" py={4}>
        <Dimmed>{t('chat.blank')}</Dimmed>
        <NewTabButton url={url} size="compact-xs" />
      </Group>
      <iframe
        ref={frame}
        className={classes.frame}
        title={name}
        src={url}
        sandbox={sandboxFor(url, window.location.origin)}
        allow="camera; microphone"
        referrerPolicy="no-referrer"
        onLoad={() => setLoaded(true)}
      />
    </div>
  );
}

interface NewTabButtonProps {
  readonly url: string;
  readonly size?: string;
}

export function NewTabButton({ url, size = 'sm' }: NewTabButtonProps) {
  const { t } = useTranslation();
  return (
    <Button
      component="a"
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      size={size}
      variant="default"
      leftSection={<IconExternalLink size={14} />}
    >
      {t('chat.newTab')}
    </Button>
  );
}
