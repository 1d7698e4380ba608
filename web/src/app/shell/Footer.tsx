import { Anchor, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SafeHtml } from '../../components/content/SafeHtml.tsx';
import { STORED, useStored } from '../../lib/browser/stored.ts';
import classes from './Footer.module.css';

const PRODUCT_SITE = 'https://www.npmjs.com/package/ai-model-gateway';
const CREDITS = ['shell.credit.1', 'shell.credit.2', 'shell.credit.3'] as const;
/** Drawn once per page load, so that the text does not change between renders. */
const drawn = Math.random();

export function Footer() {
  const { t } = useTranslation();
  const [html] = useStored(STORED.footerHtml);
  const [credit] = useState(() => CREDITS[Math.floor(drawn * CREDITS.length)] ?? CREDITS[0]);
  return (
    <footer className={classes.footer}>
      {html !== '' && <SafeHtml html={html} isInline />}
      <Text span size="xs" c="dimmed">
        {t(credit)}{' '}
        <Anchor
          href={PRODUCT_SITE}
          target="_blank"
          rel="noopener noreferrer"
          size="xs"
          c="inherit"
          underline="always"
        >
          {t('product.name')}
        </Anchor>
      </Text>
    </footer>
  );
}
