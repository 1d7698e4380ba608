import { Button, useComputedColorScheme, VisuallyHidden } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../parts/Notice.tsx';
import classes from './Chat.module.css';
import { messageFor, sandboxFor } from './frame.ts';

/** A program that shows nothing for so long may refuse to be framed. */
const WATCHDOG_MS = 8_000;

interface ChatFrameProps {
  readonly name: string;
  readonly place: string;
}

export function ChatFrame({ name, place }: ChatFrameProps) {
  const { t, i18n } = useTranslation();
  const theme = useComputedColorScheme('light');
  const frame = useRef<HTMLIFrameElement>(null);
  const [isLoaded, setLoaded] = useState(false);
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (isLoaded) return undefined;
    const timer = setTimeout(() => setLate(true), WATCHDOG_MS);
    return () => clearTimeout(timer);
  }, [isLoaded]);
  useEffect(() => {
    if (!isLoaded) return;
    // To its own origin only: whatever it navigated to since is told nothing.
    const { message, origin } = messageFor(place, theme, i18n.language);
    frame.current?.contentWindow?.postMessage(message, origin);
  }, [isLoaded, place, theme, i18n.language]);
  return (
    <div className={classes.place}>
      <VisuallyHidden component="h1">{name}</VisuallyHidden>
      {isLate && !isLoaded && (
        <Notice
          tone="yellow"
          action={
            <Button
              component="a"
              href={place}
              target="_blank"
              rel="noopener noreferrer"
              size="xs"
              variant="default"
            >
              {t('chat.newTab')}
            </Button>
          }
        >
          {t('chat.slow', { name })}
        </Notice>
      )}
      <iframe
        ref={frame}
        className={classes.frame}
        title={name}
        src={place}
        sandbox={sandboxFor(place, window.location.origin)}
        allow="camera; microphone"
        referrerPolicy="no-referrer"
        onLoad={() => setLoaded(true)}
      />
    </div>
  );
}
