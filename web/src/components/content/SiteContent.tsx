import { Box } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useTheme } from '../../lib/display/theme.ts';
import { MarkdownView } from './MarkdownView.tsx';
import { SafeHtml } from './SafeHtml.tsx';

interface SiteContentProps {
  /** The content of a setting: an https address, HTML or Markdown. */
  readonly text: string;
  readonly title: string;
}

/** Renders an address as a frame, text with tags as HTML, and anything else as Markdown. */
export function SiteContent({ text, title }: SiteContentProps) {
  const trimmed = text.trim();
  if (isAddress(trimmed)) return <SiteFrame url={trimmed} title={title} />;
  if (/<[a-z][^>]*>/i.test(trimmed)) return <SafeHtml html={trimmed} />;
  return <MarkdownView text={trimmed} />;
}

function isAddress(text: string): boolean {
  return /^https:\/\/\S+$/.test(text) && URL.canParse(text);
}

/** Sends theme and language to the framed page; the message is restricted to its origin. */
function SiteFrame({ url, title }: { readonly url: string; readonly title: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const { i18n } = useTranslation();
  const isDark = useTheme().isDark;
  const { language } = i18n;
  const sendSettings = () => {
    const message = { theme: isDark ? 'dark' : 'light', language };
    frame.current?.contentWindow?.postMessage(message, new URL(url).origin);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: sends again when either changes
  useEffect(sendSettings, [isDark, language]);
  return (
    <Box
      component="iframe"
      ref={frame}
      src={url}
      title={title}
      display="block"
      w="100%"
      h="calc(100dvh - 56px - 120px)"
      bd={0}
      bdrs="md"
      sandbox="allow-scripts allow-forms allow-same-origin allow-popups"
      onLoad={sendSettings}
    />
  );
}
