/** The captcha for calls open to anonymous visitors. */
import { Box } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CallOptions } from '../../lib/api/api.ts';
import { useTheme } from '../../lib/display/theme.ts';
import { useStatus } from '../../lib/site/status.ts';
import { toast } from '../layout/toasts.tsx';

/** The part of Cloudflare's API used here (developers.cloudflare.com/turnstile). */
interface Turnstile {
  render(container: HTMLElement, options: Readonly<Record<string, unknown>>): string;
  reset(widget: string): void;
  remove(widget: string): void;
}

declare global {
  interface Window {
    turnstile?: Turnstile;
  }
}

const SCRIPT = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit';

export interface Captcha {
  /** Whether the status is loaded, so that the need for a captcha is known. */
  readonly isKnown: boolean;
  /** Options for the call; empty without a captcha token. */
  readonly options: CallOptions;
  /** False, with a toast, while a required token is missing. */
  isReady(): boolean;
  /** Requests a new token: each is valid for one call. */
  renew(): void;
  readonly widget: React.ReactNode;
}

export function useCaptcha(): Captcha {
  const { t } = useTranslation();
  const status = useStatus();
  const [token, setToken] = useState('');
  const widget = useRef<string | undefined>(undefined);
  const isNeeded = status?.turnstile_check === true;
  return {
    isKnown: status !== undefined,
    options: token === '' ? {} : { turnstile: token },
    isReady: () => {
      const isReady = !isNeeded || token !== '';
      if (!isReady) toast.info(t('part.captcha.wait'));
      return isReady;
    },
    renew: () => {
      setToken('');
      if (widget.current !== undefined) window.turnstile?.reset(widget.current);
    },
    widget: isNeeded && (
      <Widget
        siteKey={status.turnstile_site_key}
        onToken={setToken}
        onWidget={(id) => {
          widget.current = id;
        }}
      />
    ),
  };
}

interface WidgetProps {
  readonly siteKey: string;
  readonly onToken: (token: string) => void;
  readonly onWidget: (id: string | undefined) => void;
}

function Widget({ siteKey, onToken, onWidget }: WidgetProps) {
  const { t, i18n } = useTranslation();
  const container = useRef<HTMLFieldSetElement>(null);
  const [hasFailed, setFailed] = useState(false);
  const { isDark } = useTheme();
  const { language } = i18n;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the callbacks do not affect the widget
  useEffect(() => {
    let id: string | undefined;
    let isGone = false;
    const draw = () => {
      if (isGone || container.current === null) return;
      id = window.turnstile?.render(container.current, {
        sitekey: siteKey,
        theme: isDark ? 'dark' : 'light',
        language: language === 'en' ? 'en' : 'zh-cn',
        callback: onToken,
        'expired-callback': () => onToken(''),
        'error-callback': () => onToken(''),
      });
      onWidget(id);
    };
    loadScript(SCRIPT).then(draw, () => setFailed(true));
    return () => {
      isGone = true;
      if (id !== undefined) window.turnstile?.remove(id);
      onWidget(undefined);
    };
  }, [siteKey, isDark, language]);
  return (
    <Box
      component="fieldset"
      ref={container}
      aria-label={t('part.captcha.label')}
      m={0}
      p={0}
      bd={0}
      miw={0}
      mih={65}
      fz={13}
      c="dimmed"
    >
      {hasFailed && t('part.captcha.failed')}
    </Box>
  );
}

/** Third-party scripts, each loaded once and only when needed on screen. */
const loaded = new Map<string, Promise<void>>();

/** Resolves when the script has run; a failed one may be retried. */
function loadScript(url: string): Promise<void> {
  const known = loaded.get(url);
  if (known !== undefined) return known;
  const loading = new Promise<void>((resolve, reject) => {
    const script = document.createElement('script');
    script.src = url;
    script.async = true;
    script.onload = () => resolve();
    script.onerror = () => {
      loaded.delete(url);
      script.remove();
      reject(new Error(`could not load ${url}`));
    };
    document.head.append(script);
  });
  loaded.set(url, loading);
  return loading;
}
